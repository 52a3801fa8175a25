package abrunner.waiting.netty42;

import abrunner.waiting.WaitContract;

class NettyMainTest extends WaitContract {
    NettyMainTest() {
        super(NettyMain::server, "IO_THREADS=1");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return true;
    }
}

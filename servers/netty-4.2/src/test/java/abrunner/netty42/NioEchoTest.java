package abrunner.netty42;

import abrunner.harness.EchoServerContract;

class NioEchoTest extends EchoServerContract {
    NioEchoTest() {
        super(NettyMain::server);
    }
}

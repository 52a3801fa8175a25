package abrunner.netty41;

import abrunner.harness.EchoServerContract;

class NioEchoTest extends EchoServerContract {
    NioEchoTest() {
        super(NettyMain::server);
    }
}

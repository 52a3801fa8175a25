package abrunner.netty40;

import abrunner.harness.EchoServerContract;

class NettyEchoTest extends EchoServerContract {
    NettyEchoTest() {
        super(NettyServer::new);
    }
}

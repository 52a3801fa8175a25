package abrunner.netty32;

import abrunner.harness.EchoServerContract;

class NettyEchoTest extends EchoServerContract {
    NettyEchoTest() {
        super(NettyServer::new);
    }
}

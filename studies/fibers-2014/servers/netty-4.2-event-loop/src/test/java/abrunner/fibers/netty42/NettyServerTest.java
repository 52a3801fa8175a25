package abrunner.fibers.netty42;

import abrunner.fibers.ServiceContract;

class NettyServerTest extends ServiceContract {
    NettyServerTest() {
        super(NettyServer::new, false);
    }
}

package abrunner.fibers.netty42;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;

class NettyServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new NettyServer(settings);
    }

    @Override
    protected boolean holdsThreads() {
        return false;
    }
}

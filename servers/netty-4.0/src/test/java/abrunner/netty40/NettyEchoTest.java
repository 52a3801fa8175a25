package abrunner.netty40;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class NettyEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new NettyServer(settings);
    }
}

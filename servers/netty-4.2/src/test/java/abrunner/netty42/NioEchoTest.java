package abrunner.netty42;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class NioEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }
}

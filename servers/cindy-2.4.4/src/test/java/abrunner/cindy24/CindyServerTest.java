package abrunner.cindy24;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class CindyServerTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new CindyServer(settings);
    }
}

package abrunner.cindy30;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class AcceptorEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new CindyServer(settings);
    }
}

package abrunner.grizzly19;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class GrizzlyEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new GrizzlyServer(settings);
    }
}

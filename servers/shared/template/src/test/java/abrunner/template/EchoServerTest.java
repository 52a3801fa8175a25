package abrunner.template;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class EchoServerTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new EchoServer(settings);
    }
}

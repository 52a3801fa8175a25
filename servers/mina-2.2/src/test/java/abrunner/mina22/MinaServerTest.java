package abrunner.mina22;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class MinaServerTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new MinaServer(settings);
    }
}

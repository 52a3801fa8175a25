package abrunner.quickserver14;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class BlockingStartedEchoTest extends EchoServerContract {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> environment = super.variant();
        environment.put("MODE", "blocking_started");
        return environment;
    }

    @Override
    protected Server server(Settings settings) {
        return new EchoServer(settings);
    }
}

package abrunner.cindy30;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class SessionEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new CindyServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("LISTENER", "session");
        return variant;
    }
}

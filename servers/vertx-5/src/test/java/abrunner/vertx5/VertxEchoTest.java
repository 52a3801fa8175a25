package abrunner.vertx5;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class VertxEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return new VertxServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("API", "net");
        return variant;
    }
}

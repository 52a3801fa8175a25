package abrunner.jetty51;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class NioJettyServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new JettyServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("LISTENER", "nio");
        return variant;
    }
}

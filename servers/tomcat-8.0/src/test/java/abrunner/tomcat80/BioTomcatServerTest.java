package abrunner.tomcat80;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class BioTomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("IO", "bio");
        return variant;
    }
}

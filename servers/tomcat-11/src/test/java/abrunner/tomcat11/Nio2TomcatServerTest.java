package abrunner.tomcat11;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class Nio2TomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("IO", "nio2");
        return variant;
    }
}

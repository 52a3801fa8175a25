package abrunner.cindy30;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class SessionFilesTest extends FileServerContract {
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

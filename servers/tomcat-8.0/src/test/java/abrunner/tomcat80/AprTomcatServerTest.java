package abrunner.tomcat80;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "hasNativeLibrary", disabledReason = "libtcnative-1 is not installed")
class AprTomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("IO", "apr");
        return variant;
    }

    static boolean hasNativeLibrary() {
        return TomcatServer.hasNativeLibrary();
    }
}

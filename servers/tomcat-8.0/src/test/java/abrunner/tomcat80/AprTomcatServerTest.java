package abrunner.tomcat80;

import abrunner.harness.FileServerContract;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "hasNativeLibrary", disabledReason = "libtcnative-1 is not installed")
class AprTomcatServerTest extends FileServerContract {
    AprTomcatServerTest() {
        super(TomcatServer::new, "IO=apr");
    }

    static boolean hasNativeLibrary() {
        return TomcatServer.hasNativeLibrary();
    }
}

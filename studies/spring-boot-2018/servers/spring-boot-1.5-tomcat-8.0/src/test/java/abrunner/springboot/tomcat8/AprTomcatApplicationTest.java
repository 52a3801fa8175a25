package abrunner.springboot.tomcat8;

import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "hasNativeLibrary", disabledReason = "libtcnative-1 is not installed")
class AprTomcatApplicationTest extends NioTomcatApplicationTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("PROTOCOL", "apr");
        return variant;
    }

    static boolean hasNativeLibrary() {
        return TomcatApplication.hasNativeLibrary();
    }
}

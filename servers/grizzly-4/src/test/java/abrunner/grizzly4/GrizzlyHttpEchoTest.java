package abrunner.grizzly4;

import java.util.Map;

class GrizzlyHttpEchoTest extends GrizzlyEchoTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("ECHO", "http");
        return variant;
    }
}

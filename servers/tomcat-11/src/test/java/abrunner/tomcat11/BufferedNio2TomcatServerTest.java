package abrunner.tomcat11;

import java.util.Map;

class BufferedNio2TomcatServerTest extends Nio2TomcatServerTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("WRITE_BUFFER", "large");
        return variant;
    }
}

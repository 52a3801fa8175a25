package abrunner.tomcat55;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import abrunner.harness.FileServerContract;
import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TomcatServerTest extends FileServerContract {
    TomcatServerTest() {
        super(TomcatServer::new);
    }

    @Test
    void refusesUnknownContentCache() {
        Map<String, String> environment = new HashMap<>();
        environment.put("DOCROOT", "/");
        environment.put("CONTENT_CACHE", "huge");
        Settings settings = Settings.from(environment);
        assertEquals("CONTENT_CACHE must be shipped or large, not 'huge'",
                assertThrows(InvalidSetting.class, () -> new TomcatServer(settings)).getMessage());
    }
}

package abrunner.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServicesTest {
    @Test
    void areInTheServerItself() {
        assertEquals("http://127.0.0.1:8081", services(Map.of("PORT", "8081")));
        assertEquals("http://127.0.0.2:8080", services(Map.of("ADDRESS", "127.0.0.2")));
    }

    @Test
    void areElsewhereOnRequest() {
        assertEquals("http://services:80", services(Map.of("SERVICES", "services:80")));
        assertEquals("http://[::1]:8081", services(Map.of("SERVICES", "[::1]:8081")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "services", "services:", "services:0", "http://services:80", "a:1/b"})
    void refusesWhatIsNoHostWithPort(String value) {
        assertEquals("SERVICES must be HOST:PORT, not '" + value + "'",
                assertThrows(InvalidSetting.class, () -> services(Map.of("SERVICES", value))).getMessage());
    }

    private static String services(Map<String, String> environment) {
        return Services.from(Settings.from(environment)).toString();
    }
}

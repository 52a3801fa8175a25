package abrunner.tomcattuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Map<String, String> SOURCE = Map.of(
            "address", "0.0.0.0", "port", "8080", "protocol", "org.apache.coyote.http11.Http11Nio2Protocol",
            "acceptCount", "5000", "maxConnections", "20000");

    @Test
    void setsWhatTheSourceHasInAllRunsAndNoMore() {
        assertEquals(SOURCE, Settings.from(Map.of()).connector());
    }

    @Test
    void ignoresWhatOtherServersTake() {
        assertEquals(SOURCE, Settings.from(Map.of("BACKLOG", "1", "THREADS", "256", "DOCROOT", "/srv/www")).connector());
    }

    @Test
    void listensWhereItIsTold() {
        Map<String, String> connector = Settings.from(Map.of("ADDRESS", "127.0.0.1", "PORT", "8181")).connector();
        assertEquals("127.0.0.1", connector.get("address"));
        assertEquals("8181", connector.get("port"));
    }

    @Test
    void setsWhatTheSourceTries() {
        assertChanged(Map.of("minSpareThreads", "500", "maxThreads", "500"), "MIN_SPARE_THREADS", "500");
        assertChanged(Map.of("processorCache", "400"), "PROCESSOR_CACHE", "400");
        assertChanged(Map.of("compression", "on"), "COMPRESSION", "on");
        assertChanged(Map.of(), "COMPRESSION", "off");
    }

    @Test
    void refusesWhatWouldSilentlyMeasureSomethingElse() {
        assertRefused("ADDRESS must be an IP address, not 'localhost'", "ADDRESS", "localhost");
        assertRefused("ADDRESS must be an IP address, not '1.2.3.4.5'", "ADDRESS", "1.2.3.4.5");
        assertRefused("PORT must be a whole number from 1 to 65535, not 'http'", "PORT", "http");
        assertRefused("PORT must be a whole number from 1 to 65535, not '65536'", "PORT", "65536");
        assertRefused("MIN_SPARE_THREADS must be a whole number from 1 to 10000, not '0'", "MIN_SPARE_THREADS", "0");
        assertRefused("PROCESSOR_CACHE must be a whole number from 1 to 100000, not ''", "PROCESSOR_CACHE", "");
        assertRefused("COMPRESSION must be on or off, not 'ON'", "COMPRESSION", "ON");
    }

    private static void assertChanged(Map<String, String> changes, String name, String value) {
        Map<String, String> expected = new HashMap<>(SOURCE);
        expected.putAll(changes);
        assertEquals(expected, Settings.from(Map.of(name, value)).connector());
    }

    private static void assertRefused(String message, String name, String value) {
        Map<String, String> environment = Map.of(name, value);
        assertEquals(message, assertThrows(InvalidSetting.class, () -> Settings.from(environment)).getMessage());
    }
}

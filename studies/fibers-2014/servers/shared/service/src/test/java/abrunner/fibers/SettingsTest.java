package abrunner.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class SettingsTest {
    @Test
    void listensOnPort8080OfAllAddresses() {
        Settings settings = Settings.from(Map.of());
        assertEquals(new InetSocketAddress("0.0.0.0", 8080), settings.address());
        assertEquals(10_000, settings.backlog());
        assertEquals(200, settings.threads());
    }

    @Test
    void hasItsServicesInItself() {
        assertEquals("http://127.0.0.1:8081", services(Map.of("PORT", "8081")));
        assertEquals("http://127.0.0.2:8080", services(Map.of("ADDRESS", "127.0.0.2")));
        assertEquals("http://services:80", services(Map.of("SERVICES", "services:80")));
        assertEquals("http://[::1]:8081", services(Map.of("SERVICES", "[::1]:8081")));
    }

    @Test
    void takesFirstThreadKindByItself() {
        assertEquals(ThreadKind.PLATFORM, Settings.from(Map.of()).threadKind(ThreadKind.PLATFORM, ThreadKind.FIBER));
        assertEquals(ThreadKind.FIBER,
                Settings.from(Map.of("THREAD_KIND", "fiber")).threadKind(ThreadKind.PLATFORM, ThreadKind.FIBER));
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void refusesVirtualThreadsThatJavaDoesNotHave() {
        Settings settings = Settings.from(Map.of("THREAD_KIND", "virtual"));
        assertThrows(InvalidSetting.class, () -> settings.threadKind(ThreadKind.VIRTUAL));
    }

    @Test
    void refusesWhatWouldSilentlyMeasureSomethingElse() {
        assertRefused("PORT must be a whole number from 1 to 65535, not 'http'", Map.of("PORT", "http"));
        assertRefused("THREADS must be a whole number from 8 to 10000, not '7'", Map.of("THREADS", "7"));
        assertRefused("ADDRESS must be an IP address, not 'localhost'", Map.of("ADDRESS", "localhost"));
        assertRefused("THREAD_KIND must be platform or fiber, not 'fibers'", Map.of("THREAD_KIND", "fibers"));
        for (String services : new String[] {"", "services", "services:", "services:0", "http://services:80", "a:1/b"}) {
            assertRefused("SERVICES must be HOST:PORT, not '" + services + "'", Map.of("SERVICES", services));
        }
    }

    private static String services(Map<String, String> environment) {
        return Settings.from(environment).services().toString();
    }

    private static void assertRefused(String message, Map<String, String> environment) {
        assertEquals(message, assertThrows(InvalidSetting.class, () ->
                Settings.from(environment).threadKind(ThreadKind.PLATFORM, ThreadKind.FIBER)).getMessage());
    }
}

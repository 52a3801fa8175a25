package abrunner.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class SettingsTest {
    private enum Color { RED, GREEN, BLUE }

    @Test
    void hasDefaults() {
        Settings settings = Settings.from(Map.of());
        assertEquals(new InetSocketAddress("0.0.0.0", 8080), settings.address());
        assertEquals(10_000, settings.backlog());
        assertEquals(100, settings.threads(100));
        assertEquals(1, settings.maxConnections(1));
        assertEquals(ThreadKind.PLATFORM, settings.threadKind());
        assertEquals(Color.BLUE, settings.choice("COLOR", Color.BLUE, Color.RED));
    }

    @Test
    void readsWhatIsGiven() {
        Settings settings = Settings.from(Map.of("ADDRESS", "127.0.0.1", "PORT", "81", "BACKLOG", "2", "THREADS", "16",
                "IO_THREADS", "1", "WORKER_THREADS", "3", "MAX_CONNECTIONS", "4", "ASYNC_TIMEOUT", "5", "COLOR", "green"));
        assertEquals(new InetSocketAddress("127.0.0.1", 81), settings.address());
        assertEquals("127.0.0.1", settings.host());
        assertEquals(2, settings.backlog());
        assertEquals(16, settings.threads(100));
        assertEquals(1, settings.ioThreads(100));
        assertEquals(3, settings.workerThreads(100));
        assertEquals(4, settings.maxConnections(100));
        assertEquals(5, settings.asyncTimeout(100));
        assertEquals(Color.GREEN, settings.choice("COLOR", Color.values()));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void hasVirtualThreadsOnRequest() {
        assertEquals(ThreadKind.VIRTUAL, Settings.from(Map.of("THREAD_KIND", "virtual")).threadKind());
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_17)
    void refusesVirtualThreadsThatThereAreNot() {
        assertEquals("THREAD_KIND=virtual needs Java 21 or newer, and this is 17", assertThrows(InvalidSetting.class,
                () -> Settings.from(Map.of("THREAD_KIND", "virtual")).threadKind()).getMessage());
    }

    @Test
    void refusesAnythingElse() {
        assertRefused("PORT must be a whole number from 1 to 65535, not 'http'", "PORT", "http");
        assertRefused("BACKLOG must be a whole number from 1 to 2147483647, not '0'", "BACKLOG", "0");
        assertRefused("ADDRESS must be an IP address, not 'localhost'", "ADDRESS", "localhost");
        assertRefused("THREADS must be a whole number from 16 to 10000, not '15'", "THREADS", "15");
        assertRefused("IO_THREADS must be a whole number from 1 to 10000, not '10001'", "IO_THREADS", "10001");
        assertRefused("COLOR must be red or blue, not 'green'", "COLOR", "green");
    }

    private static void assertRefused(String message, String name, String value) {
        assertEquals(message, assertThrows(InvalidSetting.class, () -> {
            Settings settings = Settings.from(Map.of(name, value));
            settings.threads(100);
            settings.ioThreads(100);
            settings.choice("COLOR", Color.RED, Color.BLUE);
        }).getMessage());
    }
}

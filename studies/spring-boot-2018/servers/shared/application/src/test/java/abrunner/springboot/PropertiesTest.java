package abrunner.springboot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class PropertiesTest {
    private static final String OF_2018 = "1.5.10.RELEASE";
    private static final String OF_TODAY = "4.1.2";

    @Test
    void listensOnPort8080OfAllAddresses() {
        Map<String, Object> properties = properties(Map.of());
        assertEquals(8080, properties.get("server.port"));
        assertEquals("0.0.0.0", properties.get("server.address"));
        assertEquals(10_000, properties.get("server.tomcat.accept-count"));
    }

    @Test
    void leavesPoolsAsTheyCome() {
        assertFalse(properties(Map.of("THREADS", "256")).keySet().stream().anyMatch(name -> name.contains("threads")));
    }

    @Test
    void namesUndertowsThreadsAsTheSpringBootDoes() {
        Map<String, String> environment = Map.of("IO_THREADS", "16", "WORKER_THREADS", "256");
        Map<String, Object> of2018 = properties(environment, OF_2018).byName();
        assertEquals(16, of2018.get("server.undertow.io-threads"));
        assertEquals(256, of2018.get("server.undertow.worker-threads"));
        Map<String, Object> ofToday = properties(environment, OF_TODAY).byName();
        assertEquals(16, ofToday.get("server.undertow.threads.io"));
        assertEquals(256, ofToday.get("server.undertow.threads.worker"));
    }

    @Test
    void logsAsPublishedOnRequestOnly() {
        assertEquals("INFO", properties(Map.of(), OF_2018).rootLevel());
        assertEquals("INFO", properties(Map.of("LOGGING", "info"), OF_2018).rootLevel());
        assertEquals("ALL", properties(Map.of("LOGGING", "published"), OF_2018).rootLevel());
    }

    @Test
    void refusesWhatWouldSilentlyMeasureSomethingElse() {
        assertRefused("LOGGING must be info or published, not 'all'", Map.of("LOGGING", "all"), OF_2018);
        assertRefused("LOGGING=published is for Spring Boot 1.5: today's programs log as shipped",
                Map.of("LOGGING", "published"), OF_TODAY);
        assertRefused("VIRTUAL_THREADS must be false or true, not '1'", Map.of("VIRTUAL_THREADS", "1"), OF_TODAY);
        assertRefused("VIRTUAL_THREADS=true needs Spring Boot 3.5 or 4, and Java 21 or newer",
                Map.of("VIRTUAL_THREADS", "true"), OF_2018);
        assertRefused("IO_THREADS must be a whole number from 1 to 10000, not '0'", Map.of("IO_THREADS", "0"), OF_2018);
        assertRefused("PORT must be a whole number from 1 to 65535, not 'http'", Map.of("PORT", "http"), OF_TODAY);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void hasVirtualThreadsOnRequestOnly() {
        String name = "spring.threads.virtual.enabled";
        assertFalse(properties(Map.of("VIRTUAL_THREADS", "false")).containsKey(name));
        assertTrue((boolean) properties(Map.of("VIRTUAL_THREADS", "true")).get(name));
    }

    private static Map<String, Object> properties(Map<String, String> environment) {
        return properties(environment, OF_TODAY).byName();
    }

    private static Properties properties(Map<String, String> environment, String springBoot) {
        return new Properties(Settings.from(environment), springBoot);
    }

    private static void assertRefused(String message, Map<String, String> environment, String springBoot) {
        assertEquals(message, assertThrows(InvalidSetting.class, () -> {
            Properties properties = properties(environment, springBoot);
            properties.byName();
            properties.rootLevel();
        }).getMessage());
    }
}

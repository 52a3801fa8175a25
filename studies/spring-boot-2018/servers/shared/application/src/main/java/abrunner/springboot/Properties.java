package abrunner.springboot;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.util.HashMap;
import java.util.Map;

/** What the Spring Boot that is on the class path is told, by the environment. */
final class Properties {
    /** How much the applications of 2018 log. */
    private enum Logging { INFO, PUBLISHED }

    private enum Switch { FALSE, TRUE }

    private static final int MAX_THREADS = 10_000;
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final Settings settings;
    private final boolean of2018;

    Properties(Settings settings, String springBoot) {
        this.settings = settings;
        this.of2018 = springBoot.startsWith("1.");
    }

    /** The level of the root logger, for the log4j2.xml of 2018. */
    String rootLevel() {
        Logging logging = settings.choice("LOGGING", Logging.INFO);
        if (logging == Logging.PUBLISHED && !of2018) {
            throw new InvalidSetting("LOGGING=published is for Spring Boot 1.5: today's programs log as shipped");
        }
        return logging == Logging.PUBLISHED ? "ALL" : "INFO";
    }

    /** What Spring Boot has properties for. A backlog has none in Jetty, nor in the Undertow of Spring Boot 1.5. */
    Map<String, Object> byName() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.address", settings.host());
        properties.put("server.port", settings.port());
        properties.put("server.tomcat.accept-count", settings.backlog());
        if (!of2018) {
            properties.put("server.undertow.options.socket.backlog", settings.backlog());
            // As shipped it waits up to 30 s for requests that are under way.
            properties.put("server.shutdown", "immediate");
        }
        // Without them Undertow makes as many as suit the CPUs.
        putThreads(properties, "IO_THREADS", of2018 ? "io-threads" : "threads.io");
        putThreads(properties, "WORKER_THREADS", of2018 ? "worker-threads" : "threads.worker");
        if (virtualThreads()) {
            properties.put("spring.threads.virtual.enabled", true);
            // These are daemons, and one other thread has to stay.
            properties.put("spring.main.keep-alive", true);
        }
        properties.put("spring.main.banner-mode", "off");
        return properties;
    }

    private void putThreads(Map<String, Object> properties, String name, String property) {
        if (settings.text(name) != null) {
            properties.put("server.undertow." + property, settings.number(name, 0, 1, MAX_THREADS));
        }
    }

    /** Spring Boot itself ignores the wish where it cannot be met. */
    private boolean virtualThreads() {
        if (settings.choice("VIRTUAL_THREADS", Switch.FALSE) == Switch.FALSE) {
            return false;
        }
        // "1.8", "17", "25"
        String java = System.getProperty("java.specification.version");
        if (of2018 || Double.parseDouble(java) < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
            throw new InvalidSetting("VIRTUAL_THREADS=true needs Spring Boot 3.5 or 4, and Java "
                    + FIRST_JAVA_WITH_VIRTUAL_THREADS + " or newer");
        }
        return true;
    }
}

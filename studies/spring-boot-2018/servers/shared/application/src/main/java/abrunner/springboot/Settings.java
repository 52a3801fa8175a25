package abrunner.springboot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.SpringBootVersion;

/** What the environment tells an application. */
public final class Settings {
    /** How much the applications of 2018 log. */
    private enum Logging { INFO, PUBLISHED }

    private enum Switch { FALSE, TRUE }

    private static final int MAX_PORT = 65_535;
    private static final int MAX_THREADS = 10_000;
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final Map<String, String> environment;
    private final boolean of2018;

    private Settings(Map<String, String> environment, String springBoot) {
        this.environment = environment;
        this.of2018 = springBoot.startsWith("1.");
    }

    /** Reads them for the Spring Boot that is on the class path. */
    static Settings from(Map<String, String> environment) {
        return from(environment, SpringBootVersion.getVersion());
    }

    static Settings from(Map<String, String> environment, String springBoot) {
        return new Settings(environment, springBoot);
    }

    public int port() {
        return number("PORT", 8080, MAX_PORT);
    }

    /** How many connections may wait to be accepted. */
    public int backlog() {
        return number("BACKLOG", 10_000, Integer.MAX_VALUE);
    }

    /** One of a closed set of behaviours, named in the environment by its constant in lower case. */
    public <E extends Enum<E>> E choice(String name, E fallback) {
        String value = environment.get(name);
        if (value == null) {
            return fallback;
        }
        List<String> names = new ArrayList<>();
        for (E constant : fallback.getDeclaringClass().getEnumConstants()) {
            String constantName = constant.name().toLowerCase(Locale.ROOT);
            if (constantName.equals(value)) {
                return constant;
            }
            names.add(constantName);
        }
        throw new InvalidSetting(name + " must be " + String.join(" or ", names) + ", not '" + value + "'");
    }

    /** The level of the root logger, for the log4j2.xml of 2018. */
    String rootLevel() {
        Logging logging = choice("LOGGING", Logging.INFO);
        if (logging == Logging.PUBLISHED && !of2018) {
            throw new InvalidSetting("LOGGING=published is for Spring Boot 1.5: today's programs log as shipped");
        }
        return logging == Logging.PUBLISHED ? "ALL" : "INFO";
    }

    /** What Spring Boot has properties for. A backlog has none in Jetty, nor in the Undertow of Spring Boot 1.5. */
    Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.address", environment.getOrDefault("ADDRESS", "0.0.0.0"));
        properties.put("server.port", port());
        properties.put("server.tomcat.accept-count", backlog());
        if (!of2018) {
            properties.put("server.undertow.options.socket.backlog", backlog());
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
        if (environment.containsKey(name)) {
            properties.put("server.undertow." + property, number(name, 0, MAX_THREADS));
        }
    }

    /** Spring Boot itself ignores the wish where it cannot be met. */
    private boolean virtualThreads() {
        if (choice("VIRTUAL_THREADS", Switch.FALSE) == Switch.FALSE) {
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

    private int number(String name, int fallback, int max) {
        String value = environment.get(name);
        if (value == null) {
            return fallback;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, as one that is out of range.
        }
        throw new InvalidSetting(name + " must be a whole number from 1 to " + max + ", not '" + value + "'");
    }
}

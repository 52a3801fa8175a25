package abrunner.tomcattuning;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What the environment tells the server, as attributes of Tomcat's connector. */
final class Settings {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_THREADS = 10_000;
    private static final int MAX_PROCESSORS = 100_000;
    /** Roughly: so that a name is never looked up. */
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    private final Map<String, String> environment;
    private final int port;
    private final Map<String, String> connector = new LinkedHashMap<>();

    private Settings(Map<String, String> environment) {
        this.environment = environment;
        port = number("PORT", MAX_PORT, 8080);
        connector.put("address", address());
        connector.put("port", Integer.toString(port));
        // What the source has in all of its runs.
        connector.put("protocol", "org.apache.coyote.http11.Http11Nio2Protocol");
        connector.put("acceptCount", "5000");
        connector.put("maxConnections", "20000");
        // What it tries. Where a variable is not set, neither is the attribute: Tomcat has its own default.
        if (environment.containsKey("MIN_SPARE_THREADS")) {
            String threads = Integer.toString(number("MIN_SPARE_THREADS", MAX_THREADS, 0));
            // The source sets both alike. With fewer at most, Tomcat has fewer at least, without a word.
            connector.put("minSpareThreads", threads);
            connector.put("maxThreads", threads);
        }
        if (environment.containsKey("PROCESSOR_CACHE")) {
            connector.put("processorCache", Integer.toString(number("PROCESSOR_CACHE", MAX_PROCESSORS, 0)));
        }
        if (compression()) {
            connector.put("compression", "on");
        }
    }

    static Settings from(Map<String, String> environment) {
        return new Settings(environment);
    }

    int port() {
        return port;
    }

    /** The attributes that differ from the connector of the shipped server.xml. */
    Map<String, String> connector() {
        return Collections.unmodifiableMap(connector);
    }

    private String address() {
        String value = environment.getOrDefault("ADDRESS", "0.0.0.0");
        try {
            if (IP_ADDRESS.matcher(value).matches()) {
                return InetAddress.getByName(value).getHostAddress();
            }
        } catch (UnknownHostException notAnAddress) {
            // Told below, as one that does not look like an address.
        }
        throw new InvalidSetting("ADDRESS must be an IP address, not '" + value + "'");
    }

    private boolean compression() {
        String value = environment.getOrDefault("COMPRESSION", "off");
        if (!value.equals("on") && !value.equals("off")) {
            throw new InvalidSetting("COMPRESSION must be on or off, not '" + value + "'");
        }
        return value.equals("on");
    }

    private int number(String name, int max, int fallback) {
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

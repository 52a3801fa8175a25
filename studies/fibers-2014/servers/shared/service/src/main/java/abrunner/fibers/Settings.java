package abrunner.fibers;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** What the environment tells a server. */
public final class Settings {
    private static final int MAX_PORT = 65_535;
    /** Roughly: so that a name is never looked up. */
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");
    /** Jetty keeps some for itself. */
    private static final int MIN_THREADS = 8;
    private static final int MAX_THREADS = 10_000;
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final Map<String, String> environment;
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final URI services;

    private Settings(Map<String, String> environment) {
        this.environment = environment;
        this.address = new InetSocketAddress(host(), number("PORT", 8080, 1, MAX_PORT));
        this.backlog = number("BACKLOG", 10_000, 1, Integer.MAX_VALUE);
        this.threads = number("THREADS", 200, MIN_THREADS, MAX_THREADS);
        this.services = readServices();
    }

    /** Reads what all servers have in common. */
    public static Settings from(Map<String, String> environment) {
        return new Settings(environment);
    }

    /** Where to listen: everywhere in a container, on loopback where the machine itself is the host. */
    public InetSocketAddress address() {
        return address;
    }

    public int port() {
        return address.getPort();
    }

    /** How many connections may wait to be accepted. */
    public int backlog() {
        return backlog;
    }

    /** The size of the server's thread pool, where it has one. */
    public int threads() {
        return threads;
    }

    /** Where services A and B are, such as http://127.0.0.1:8080: in this server itself, if nothing else is said. */
    public URI services() {
        return services;
    }

    /** What requests run on: one of the kinds that the server has, by itself the first of them. */
    public ThreadKind threadKind(ThreadKind... kinds) {
        String value = environment.getOrDefault("THREAD_KIND", name(kinds[0]));
        List<String> names = new ArrayList<>();
        for (ThreadKind kind : kinds) {
            names.add(name(kind));
            if (name(kind).equals(value)) {
                requireJavaThatHas(kind);
                return kind;
            }
        }
        throw new InvalidSetting("THREAD_KIND must be " + String.join(" or ", names) + ", not '" + value + "'");
    }

    /** A whole number that only some servers need. */
    public int number(String name, int fallback, int min, int max) {
        String value = environment.get(name);
        if (value == null) {
            return fallback;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, as one that is out of range.
        }
        throw new InvalidSetting(name + " must be a whole number from " + min + " to " + max + ", not '" + value + "'");
    }

    private static String name(ThreadKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void requireJavaThatHas(ThreadKind kind) {
        // "1.8", "17", "25"
        String java = System.getProperty("java.specification.version");
        if (kind == ThreadKind.VIRTUAL && Double.parseDouble(java) < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
            throw new InvalidSetting("THREAD_KIND=virtual needs Java " + FIRST_JAVA_WITH_VIRTUAL_THREADS
                    + " or newer, and this is " + java);
        }
    }

    private InetAddress host() {
        String value = environment.getOrDefault("ADDRESS", "0.0.0.0");
        try {
            if (IP_ADDRESS.matcher(value).matches()) {
                return InetAddress.getByName(value);
            }
        } catch (UnknownHostException notAnAddress) {
            // Told below, as one that does not look like an address.
        }
        throw new InvalidSetting("ADDRESS must be an IP address, not '" + value + "'");
    }

    private URI readServices() {
        String value = environment.get("SERVICES");
        try {
            if (value == null) {
                String host = address.getAddress().isAnyLocalAddress() ? "127.0.0.1" : address.getAddress().getHostAddress();
                return new URI("http", null, host, port(), null, null, null);
            }
            URI services = new URI("http://" + value);
            if (services.getHost() != null && services.getPort() >= 1 && services.getPort() <= MAX_PORT
                    && value.equals(services.getHost() + ":" + services.getPort())) {
                return services;
            }
        } catch (URISyntaxException unusable) {
            // Told below, as one of another form.
        }
        throw new InvalidSetting("SERVICES must be HOST:PORT, not '" + value + "'");
    }
}

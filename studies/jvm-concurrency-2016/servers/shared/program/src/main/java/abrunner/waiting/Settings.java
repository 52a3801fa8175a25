package abrunner.waiting;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** What the environment tells a program. Pools have no common default: each program names the published size. */
public final class Settings {
    private static final int MAX_PORT = 65_535;
    /** Roughly: so that a name is never looked up. */
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");
    /** With fewer, Jetty has none left for requests. */
    private static final int MIN_THREADS = 16;
    private static final int MAX_THREADS = 10_000;
    private static final int MAX_TIMEOUT_MILLIS = 86_400_000;
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final Map<String, String> environment;
    private final InetSocketAddress address;
    private final int backlog;

    private Settings(Map<String, String> environment) {
        this.environment = environment;
        this.address = new InetSocketAddress(bindAddress(), number("PORT", 8080, 1, MAX_PORT));
        this.backlog = number("BACKLOG", 10_000, 1, Integer.MAX_VALUE);
    }

    /** Reads what all programs have in common. */
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

    /** The address in figures, as most servers want it. */
    public String host() {
        return address.getAddress().getHostAddress();
    }

    /** How many connections may wait to be accepted. */
    public int backlog() {
        return backlog;
    }

    /** The size of the server's thread pool. */
    public int threads(int published) {
        return number("THREADS", published, MIN_THREADS, MAX_THREADS);
    }

    /** How many threads read and write, where these are others than those that work. */
    public int ioThreads(int published) {
        return number("IO_THREADS", published, 1, MAX_THREADS);
    }

    public int workerThreads(int published) {
        return number("WORKER_THREADS", published, 1, MAX_THREADS);
    }

    /** How many connections the server accepts before it lets others wait, where it has such a limit. */
    public int maxConnections(int published) {
        return number("MAX_CONNECTIONS", published, 1, Integer.MAX_VALUE);
    }

    /** After so many milliseconds the server itself answers a request that nobody has answered. */
    public int asyncTimeout(int published) {
        return number("ASYNC_TIMEOUT", published, 1, MAX_TIMEOUT_MILLIS);
    }

    /** What the threads are, where the server has the choice. */
    public ThreadKind threadKind() {
        ThreadKind kind = choice("THREAD_KIND", ThreadKind.PLATFORM, ThreadKind.VIRTUAL);
        // "1.8", "17", "25"
        String java = System.getProperty("java.specification.version");
        if (kind == ThreadKind.VIRTUAL && Double.parseDouble(java) < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
            throw new InvalidSetting("THREAD_KIND=virtual needs Java " + FIRST_JAVA_WITH_VIRTUAL_THREADS
                    + " or newer, and this is " + java);
        }
        return kind;
    }

    /** One of these behaviours, named in the environment by its constant in lower case; without, the first. */
    @SafeVarargs
    public final <E extends Enum<E>> E choice(String name, E... constants) {
        String value = environment.get(name);
        if (value == null) {
            return constants[0];
        }
        List<String> names = new ArrayList<>();
        for (E constant : constants) {
            String constantName = constant.name().toLowerCase(Locale.ROOT);
            if (constantName.equals(value)) {
                return constant;
            }
            names.add(constantName);
        }
        throw new InvalidSetting(name + " must be " + String.join(" or ", names) + ", not '" + value + "'");
    }

    private InetAddress bindAddress() {
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

    private int number(String name, int fallback, int min, int max) {
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
}

package abrunner.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What the environment tells a server. */
public final class Settings {
    private static final int MAX_PORT = 65_535;
    /** Roughly: so that a name is never looked up. */
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");
    /** With fewer, Tomcat takes more all the same, and Jetty and Resin do not answer. */
    private static final int MIN_THREADS = 16;
    private static final int MAX_THREADS = 10_000;
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final Map<String, String> environment;
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;

    private Settings(Map<String, String> environment) {
        this.environment = environment;
        this.address = new InetSocketAddress(bindAddress(), number("PORT", 8080, 1, MAX_PORT));
        this.backlog = number("BACKLOG", 10_000, 1, Integer.MAX_VALUE);
        this.threads = number("THREADS", 256, MIN_THREADS, MAX_THREADS);
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

    /** The address in figures, as most servers want it. */
    public String host() {
        return address.getAddress().getHostAddress();
    }

    /** How many connections may wait to be accepted. */
    public int backlog() {
        return backlog;
    }

    /** The size of the server's thread pool, where it has one. */
    public int threads() {
        return threads;
    }

    /** What those threads are, where the server has the choice. */
    public ThreadKind threadKind() {
        ThreadKind kind = choice("THREAD_KIND", ThreadKind.PLATFORM);
        // "1.8", "17", "25"
        String java = System.getProperty("java.specification.version");
        if (kind == ThreadKind.VIRTUAL && Double.parseDouble(java) < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
            throw new InvalidSetting("THREAD_KIND=virtual needs Java " + FIRST_JAVA_WITH_VIRTUAL_THREADS
                    + " or newer, and this is " + java);
        }
        return kind;
    }

    /** The folder that a file server serves. */
    public Path docroot() {
        String value = environment.get("DOCROOT");
        if (value == null) {
            throw new InvalidSetting("DOCROOT must name the folder to serve");
        }
        try {
            Path path = Paths.get(value);
            // A relative path would be taken from the server's own folder, where start-jvm goes.
            if (path.isAbsolute() && Files.isDirectory(path)) {
                // Jetty serves nothing that is reached through a symbolic link.
                return path.toRealPath();
            }
        } catch (InvalidPathException | IOException unusable) {
            // Told below, as one that is no folder.
        }
        throw new InvalidSetting("DOCROOT must be the absolute path of a folder, not '" + value + "'");
    }

    /** One of a closed set of behaviours, named in the environment by its constant in lower case. */
    public <E extends Enum<E>> E choice(String name, E fallback) {
        return choice(name, fallback, EnumSet.allOf(fallback.getDeclaringClass()));
    }

    /** The same for a server that has only some of them. */
    public <E extends Enum<E>> E choice(String name, E fallback, Set<E> constants) {
        String value = environment.get(name);
        if (value == null) {
            return fallback;
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

    /** What a variable says that only some servers read; null without it. */
    public String text(String name) {
        return environment.get(name);
    }

    /** A whole number that only some servers read. */
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
}

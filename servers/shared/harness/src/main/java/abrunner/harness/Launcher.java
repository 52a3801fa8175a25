package abrunner.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The main program that all JVM servers share. */
public final class Launcher {
    public static final int STARTED = 0;
    public static final int FAILED = 1;
    public static final int INVALID_SETTING = 2;

    /** Kept here because java.util.logging holds loggers, and so their levels, weakly. */
    private static final Logger ROOT_LOGGER = Logger.getLogger("");

    private Launcher() {
    }

    /** Starts a server by the environment, says so, and keeps the process alive until it is told to end. */
    public static void launch(Function<Settings, Server> constructor) throws InterruptedException {
        keepOnlyWarnings();
        int outcome = run(constructor, System.getenv(), System.out, System.err);
        if (outcome != STARTED) {
            System.exit(outcome);
        }
        // Some servers run on daemon threads only. The JVM ends by itself at SIGTERM.
        new CountDownLatch(1).await();
    }

    /** What a server says while it works would be measured with it. */
    public static void keepOnlyWarnings() {
        ROOT_LOGGER.setLevel(Level.WARNING);
    }

    /** Starts a server by the environment. Returns the exit code that it would have. */
    public static int run(Function<Settings, Server> constructor, Map<String, String> environment, PrintStream out,
            PrintStream err) {
        Settings settings;
        Server server;
        try {
            settings = Settings.from(environment);
            server = constructor.apply(settings);
        } catch (InvalidSetting invalid) {
            err.println(invalid.getMessage());
            return INVALID_SETTING;
        }
        try {
            requireFree(settings.address());
        } catch (IOException notFree) {
            err.println("cannot listen on port " + settings.port() + ": " + notFree.getMessage());
            return FAILED;
        }
        try {
            server.start();
        } catch (Exception broken) {
            broken.printStackTrace(err);
            return FAILED;
        }
        out.println("ready on port " + settings.port());
        out.flush();
        return STARTED;
    }

    /**
     * Finds out before the server does, for each server of old tells it in its own long way. Binds and does not
     * listen: nobody can connect meanwhile.
     */
    private static void requireFree(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        }
    }
}

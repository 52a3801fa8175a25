package abrunner.jdk;

import abrunner.harness.FileCache;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The JDK's own HTTP server, serving files. */
public final class JdkServer implements Server {
    /** By itself it keeps 200, and resets others after an answer that says keep-alive. */
    private static final int MAX_IDLE_CONNECTIONS = 20_000;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final FileCache files;
    private final ThreadKind threadKind;

    public JdkServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        files = new FileCache(settings);
        threadKind = settings.threadKind();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JdkServer::new);
    }

    @Override
    public void start() throws IOException, ReflectiveOperationException {
        // Both are read once, when the first server is made.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", Integer.toString(MAX_IDLE_CONNECTIONS));
        HttpServer server = HttpServer.create(address, backlog);
        server.setExecutor(executor());
        server.createContext("/", new FileHandler(files));
        server.start();
    }

    private Executor executor() throws ReflectiveOperationException {
        if (threadKind == ThreadKind.PLATFORM) {
            return Executors.newFixedThreadPool(threads);
        }
        // Called by its name, for this is compiled for Java 17.
        return (Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}

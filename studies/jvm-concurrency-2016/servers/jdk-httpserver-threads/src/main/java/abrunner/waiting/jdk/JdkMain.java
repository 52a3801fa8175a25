package abrunner.waiting.jdk;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import abrunner.waiting.FirstRequest;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The JDK's own HTTP server, whose thread sleeps. */
public final class JdkMain implements Server {
    /** As shipped it keeps 200 connections, and each of them for 30 s. */
    private static final String MAX_IDLE_CONNECTIONS = "20000";
    private static final String IDLE_SECONDS = "3600";

    private final Settings settings;
    private final int threads;
    private final ThreadKind threadKind;

    private JdkMain(Settings settings) {
        this.settings = settings;
        this.threads = settings.threads();
        this.threadKind = settings.threadKind();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(JdkMain::server));
    }

    static Server server(Settings settings) {
        return new JdkMain(settings);
    }

    @Override
    public void start() throws IOException, ReflectiveOperationException {
        // Read once, when the first server is made.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", MAX_IDLE_CONNECTIONS);
        System.setProperty("sun.net.httpserver.idleInterval", IDLE_SECONDS);
        HttpServer server = HttpServer.create(settings.address(), settings.backlog());
        server.setExecutor(executor());
        server.createContext("/", new WaitHandler());
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

package abrunner.fibers.jdk;

import abrunner.fibers.Answer;
import abrunner.fibers.Service;
import abrunner.fibers.Sleep;
import abrunner.fibers.Timer;
import abrunner.fibers.today.ApacheClient;
import abrunner.fibers.today.Internal;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The JDK's own HTTP server. */
public final class JdkServer implements Server {
    /** By itself it keeps 200, and resets others after an answer that says keep-alive. */
    private static final int MAX_IDLE_CONNECTIONS = 20_000;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final ThreadKind threadKind;
    private final Service service;
    private final Timer timer = new Timer();

    JdkServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        threadKind = settings.threadKind();
        service = new Service(new ApacheClient(settings));
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
        server.createContext("/service", exchange -> write(exchange, service.answer(sleep(exchange))));
        if (threadKind == ThreadKind.VIRTUAL) {
            server.createContext("/internal", exchange -> write(exchange, Internal.answer(sleep(exchange))));
        } else {
            server.createContext("/internal", this::answerLater);
        }
        server.start();
    }

    private Executor executor() throws ReflectiveOperationException {
        if (threadKind == ThreadKind.PLATFORM) {
            return Executors.newFixedThreadPool(threads);
        }
        // Called by its name, for this is compiled for Java 17.
        return (Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    /** Leaves the exchange open, and the thread of the pool to others. */
    private void answerLater(HttpExchange exchange) throws IOException {
        int millis;
        try {
            millis = Sleep.millis(sleep(exchange));
        } catch (Sleep.InvalidSleep invalid) {
            write(exchange, Answer.INVALID_SLEEP);
            return;
        }
        timer.after(millis, () -> {
            try {
                write(exchange, Answer.OK);
            } catch (IOException gone) {
                // Whoever asked does not wait any more.
            }
        });
    }

    private static String sleep(HttpExchange exchange) {
        return Sleep.find(exchange.getRequestURI().getRawQuery());
    }

    private static void write(HttpExchange exchange, Answer answer) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", Answer.CONTENT_TYPE);
            exchange.sendResponseHeaders(answer.status(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        }
    }
}

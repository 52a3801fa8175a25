package abrunner.waiting.jetty93;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.Wait;
import javax.servlet.http.HttpServlet;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty 9.3 with one handler, set as the source sets it. */
public final class JettyServer implements Server {
    private static final int IDLE_MILLIS = 3_600_000;

    private final Settings settings;
    private final int threads;
    private final Handler handler;

    public JettyServer(Settings settings, Handler handler) {
        this.settings = settings;
        this.threads = settings.threads();
        this.handler = handler;
    }

    /** The handler that has a servlet answer. */
    public static Handler of(HttpServlet servlet) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler();
        context.setContextPath("/");
        context.addServlet(holder, Wait.PATH);
        return context;
    }

    @Override
    public void start() throws Exception {
        int kept = Math.min(threads, Runtime.getRuntime().availableProcessors());
        org.eclipse.jetty.server.Server server =
                new org.eclipse.jetty.server.Server(new QueuedThreadPool(threads, kept));
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setAcceptQueueSize(settings.backlog());
        connector.setIdleTimeout(IDLE_MILLIS);
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
    }
}

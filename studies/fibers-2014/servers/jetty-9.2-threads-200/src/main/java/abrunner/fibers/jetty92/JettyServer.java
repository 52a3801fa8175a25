package abrunner.fibers.jetty92;

import abrunner.fibers.servlets2014.Servlets;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.servlet.Servlet;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty 9.2, as early as it was in May 2014. */
public final class JettyServer implements Server {
    /** Each takes a thread of the pool for good. */
    private static final int ACCEPTORS = 1;
    private static final int SELECTORS = 1;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Map<String, Servlet> servlets;

    JettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        servlets = Servlets.byPath(settings);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyServer::new);
    }

    @Override
    public void start() throws Exception {
        // Read when Jetty first logs: its own log says on stderr how it starts.
        System.setProperty("org.eclipse.jetty.util.log.class", "org.eclipse.jetty.util.log.JavaUtilLog");
        // All of them at once, as published.
        org.eclipse.jetty.server.Server server =
                new org.eclipse.jetty.server.Server(new QueuedThreadPool(threads, threads));
        server.addConnector(connector(server));
        ServletContextHandler context = new ServletContextHandler();
        context.setContextPath("/");
        servlets.forEach((path, servlet) -> {
            ServletHolder holder = new ServletHolder(servlet);
            holder.setAsyncSupported(true);
            context.addServlet(holder, path);
        });
        server.setHandler(context);
        server.start();
    }

    /** Sets TCP_NODELAY on every connection, and never closes one for the number of its requests. */
    private ServerConnector connector(org.eclipse.jetty.server.Server server) {
        // As it is by itself with one CPU: what the pool has left does not depend on the machine. With 32 it was 3 and 32.
        ServerConnector connector = new ServerConnector(server, ACCEPTORS, SELECTORS);
        connector.setHost(address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(backlog);
        return connector;
    }
}

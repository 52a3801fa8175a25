package abrunner.fibers.jetty121;

import abrunner.fibers.today.Servlets;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import jakarta.servlet.http.HttpServlet;
import java.net.InetSocketAddress;
import java.util.Map;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/** Jetty 12.1 with servlets. */
public final class JettyServer implements Server {
    private static final int UNLIMITED = 0;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final ThreadKind threadKind;
    private final int maxVirtualThreads;
    private final Map<String, HttpServlet> servlets;

    JettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        threadKind = settings.threadKind();
        maxVirtualThreads = settings.number("MAX_VIRTUAL_THREADS", UNLIMITED, UNLIMITED, Integer.MAX_VALUE);
        servlets = Servlets.byPath(settings, threadKind);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyServer::new);
    }

    @Override
    public void start() throws Exception {
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(threads());
        server.addConnector(connector(server));
        ServletContextHandler context = new ServletContextHandler("/");
        // As shipped they add a charset to the content type.
        context.getMimeTypes().clear();
        servlets.forEach((path, servlet) -> {
            ServletHolder holder = new ServletHolder(servlet);
            holder.setAsyncSupported(true);
            context.addServlet(holder, path);
        });
        server.setHandler(context);
        server.start();
    }

    private QueuedThreadPool threads() {
        QueuedThreadPool pool = new QueuedThreadPool(threads, threads);
        if (threadKind == ThreadKind.VIRTUAL) {
            // As Jetty's guide prefers it: what waits for connections and selects stays on platform threads.
            // As shipped it runs 200 tasks at once and lets others wait, like a pool of as many threads.
            pool.setVirtualThreadsExecutor(new VirtualThreadPool(maxVirtualThreads));
        }
        return pool;
    }

    private ServerConnector connector(org.eclipse.jetty.server.Server server) {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(backlog);
        connector.setAcceptedTcpNoDelay(true);
        return connector;
    }
}

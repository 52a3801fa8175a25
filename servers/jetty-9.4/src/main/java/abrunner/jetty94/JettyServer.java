package abrunner.jetty94;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.resource.PathResource;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty 9.3 or 9.4, serving files by its DefaultServlet from mapped memory. */
public final class JettyServer implements Server {
    private static final int SELECTORS_AS_SHIPPED = -1;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    JettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyServer::new);
    }

    @Override
    public void start() throws Exception {
        // Read when Jetty first logs: its own log says on stderr how it starts.
        System.setProperty("org.eclipse.jetty.util.log.class", "org.eclipse.jetty.util.log.JavaUtilLog");
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(new QueuedThreadPool(threads));
        server.addConnector(connector(server));
        server.setHandler(files());
        server.start();
    }

    private ServerConnector connector(org.eclipse.jetty.server.Server server) {
        HttpConfiguration http = new HttpConfiguration();
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        http.setRequestHeaderSize(16_384);
        // Sets TCP_NODELAY on every connection.
        // Without acceptors the threads that select accept too. As shipped a thread of its own does it.
        ServerConnector connector =
                new ServerConnector(server, 0, SELECTORS_AS_SHIPPED, new HttpConnectionFactory(http));
        connector.setHost(address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(backlog);
        return connector;
    }

    private Handler files() {
        ServletContextHandler context = new ServletContextHandler();
        context.setContextPath("/");
        context.setBaseResource(new PathResource(docroot));
        // As shipped it follows symbolic links to wherever they lead.
        context.setAliasChecks(Collections.emptyList());
        ServletHolder files = context.addServlet(DefaultServlet.class, "/");
        files.setInitParameter("dirAllowed", "false");
        // Without these nothing is cached. They are those of the webdefault.xml that Jetty ships.
        files.setInitParameter("maxCacheSize", "256000000");
        files.setInitParameter("maxCachedFileSize", "200000000");
        files.setInitParameter("maxCachedFiles", "2048");
        files.setInitParameter("useFileMappedBuffer", "true");
        return context;
    }
}

package abrunner.jetty121;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/** Jetty 12.1 serving files by its ResourceHandler, which caches as shipped. */
public final class JettyServer implements Server {
    private static final int SELECTORS_AS_SHIPPED = -1;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;
    private final ThreadKind threadKind;
    private final Acceptor acceptor;

    JettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
        threadKind = settings.threadKind();
        acceptor = settings.choice("ACCEPTOR", Acceptor.SELECTOR);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyServer::new);
    }

    @Override
    public void start() throws Exception {
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(threads());
        server.addConnector(connector(server));
        server.setHandler(files());
        server.start();
    }

    private QueuedThreadPool threads() {
        QueuedThreadPool pool = new QueuedThreadPool(threads);
        if (threadKind == ThreadKind.VIRTUAL) {
            // As Jetty's guide prefers it: what waits for connections and selects stays on platform threads.
            VirtualThreadPool requests = new VirtualThreadPool();
            requests.setMaxConcurrentTasks(threads);
            pool.setVirtualThreadsExecutor(requests);
        }
        return pool;
    }

    private ServerConnector connector(org.eclipse.jetty.server.Server server) {
        HttpConfiguration http = new HttpConfiguration();
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        http.setRequestHeaderSize(16_384);
        ServerConnector connector = new ServerConnector(
                server, acceptor.threads, SELECTORS_AS_SHIPPED, new HttpConnectionFactory(http));
        connector.setHost(address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(backlog);
        connector.setAcceptedTcpNoDelay(true);
        return connector;
    }

    private Handler files() {
        ResourceHandler files = threadKind == ThreadKind.VIRTUAL ? new BlockingFiles() : new ResourceHandler();
        files.setDirAllowed(false);
        ContextHandler context = new ContextHandler(files, "/");
        context.setBaseResourceAsPath(docroot);
        // No symbolic link is followed.
        context.setAliasChecks(List.of());
        return context;
    }

    /** What accepts connections. */
    private enum Acceptor {
        /** The threads that select. */
        SELECTOR(0),
        /** A thread of its own, which hands each connection to one that selects, as shipped. */
        THREAD(1);

        private final int threads;

        Acceptor(int threads) {
            this.threads = threads;
        }
    }

    /** Has each request answered on a thread of its own; Jetty would do it on the thread that selects. */
    private static final class BlockingFiles extends ResourceHandler {
        @Override
        public InvocationType getInvocationType() {
            return InvocationType.BLOCKING;
        }
    }
}

package abrunner.waiting.jetty121;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import abrunner.waiting.FirstRequest;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty 12.1, whose thread sleeps. */
public final class JettyMain implements Server {
    private static final int IDLE_MILLIS = 3_600_000;

    private final Settings settings;
    private final int threads;
    private final ThreadKind threadKind;

    private JettyMain(Settings settings) {
        this.settings = settings;
        this.threads = settings.threads();
        this.threadKind = settings.threadKind();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(JettyMain::server));
    }

    static Server server(Settings settings) {
        return new JettyMain(settings);
    }

    @Override
    public void start() throws Exception {
        QueuedThreadPool pool = new QueuedThreadPool(threads);
        if (threadKind == ThreadKind.VIRTUAL) {
            // One without a limit: Jetty's own VirtualThreadPool runs 200 at once as shipped.
            pool.setVirtualThreadsExecutor(VirtualThreads.getDefaultVirtualThreadsExecutor());
        }
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(pool);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setAcceptQueueSize(settings.backlog());
        connector.setAcceptedTcpNoDelay(true);
        connector.setIdleTimeout(IDLE_MILLIS);
        server.addConnector(connector);
        server.setHandler(new WaitHandler());
        server.start();
    }
}

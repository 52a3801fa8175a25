package abrunner.waiting.tomcat11;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import abrunner.harness.WorkFolder;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.Wait;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 11, whose thread sleeps. */
public final class TomcatMain implements Server {
    /** As shipped 8,192. Threads that cost little are for more. */
    private static final int CONNECTIONS = 20_000;
    private static final int IDLE_MILLIS = 3_600_000;
    private static final String NAME = "wait";

    private final Settings settings;
    private final int threads;
    private final int connections;
    private final ThreadKind threadKind;

    private TomcatMain(Settings settings) {
        this.settings = settings;
        this.threads = settings.threads();
        this.connections = settings.number("MAX_CONNECTIONS", CONNECTIONS, 1, Integer.MAX_VALUE);
        this.threadKind = settings.threadKind();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(TomcatMain::server));
    }

    static Server server(Settings settings) {
        return new TomcatMain(settings);
    }

    @Override
    public void start() throws Exception {
        String folder = WorkFolder.create().toString();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder);
        Context context = tomcat.addContext("", folder);
        Tomcat.addServlet(context, NAME, new WaitServlet());
        context.addServletMappingDecoded(Wait.PATH, NAME);
        Connector connector = connector();
        tomcat.setConnector(connector);
        tomcat.start();
        // Tomcat itself starts all the same, and only logs why its connector does not.
        if (connector.getState() != LifecycleState.STARTED) {
            throw new IllegalStateException("the connector does not listen");
        }
    }

    private Connector connector() {
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setProperty("address", settings.host());
        connector.setPort(settings.port());
        connector.setProperty("acceptCount", Integer.toString(settings.backlog()));
        connector.setProperty("maxThreads", Integer.toString(threads));
        // Then there is no pool, and no limit.
        connector.setProperty("useVirtualThreads", Boolean.toString(threadKind == ThreadKind.VIRTUAL));
        connector.setProperty("maxConnections", Integer.toString(connections));
        connector.setProperty("connectionTimeout", Integer.toString(IDLE_MILLIS));
        // As shipped a connection ends after 100 requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("tcpNoDelay", "true");
        return connector;
    }
}

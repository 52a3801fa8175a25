package abrunner.waiting.tomcat80;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import abrunner.waiting.Wait;
import javax.servlet.http.HttpServlet;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 8.0 with one servlet, set as the source sets it. */
public final class TomcatServer implements Server {
    /** As shipped, and by what all of its rows end at 9,999 whatever their threads. */
    private static final int PUBLISHED_CONNECTIONS = 10_000;
    private static final int IDLE_MILLIS = 3_600_000;
    private static final String NAME = "wait";

    private final Settings settings;
    private final int threads;
    private final int connections;
    private final HttpServlet servlet;

    public TomcatServer(Settings settings, HttpServlet servlet) {
        this.settings = settings;
        this.threads = settings.threads();
        this.connections = settings.number("MAX_CONNECTIONS", PUBLISHED_CONNECTIONS, 1, Integer.MAX_VALUE);
        this.servlet = servlet;
    }

    @Override
    public void start() throws Exception {
        String folder = WorkFolder.create().toString();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder);
        Context context = tomcat.addContext("", folder);
        Wrapper wrapper = Tomcat.addServlet(context, NAME, servlet);
        wrapper.setAsyncSupported(true);
        context.addServletMapping(Wait.PATH, NAME);
        Connector connector = connector();
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);
        tomcat.start();
        // Tomcat itself starts all the same, and only logs why its connector does not.
        if (connector.getState() != LifecycleState.STARTED) {
            throw new IllegalStateException("the connector does not listen");
        }
    }

    private Connector connector() {
        // By its name: where it finds its native library, Tomcat would choose another one.
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setProperty("address", settings.host());
        connector.setPort(settings.port());
        connector.setProperty("acceptCount", Integer.toString(settings.backlog()));
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("maxConnections", Integer.toString(connections));
        connector.setProperty("connectionTimeout", Integer.toString(IDLE_MILLIS));
        // As shipped a connection ends after 100 requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("tcpNoDelay", "true");
        return connector;
    }
}

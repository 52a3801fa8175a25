package abrunner.fibers.tomcat11;

import abrunner.fibers.today.Servlets;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import abrunner.harness.WorkFolder;
import jakarta.servlet.http.HttpServlet;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 11 on its NIO connector. */
public final class TomcatServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final ThreadKind threadKind;
    private final Map<String, HttpServlet> servlets;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        threadKind = settings.threadKind();
        servlets = Servlets.byPath(settings, threadKind);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(TomcatServer::new);
    }

    @Override
    public void start() throws Exception {
        Tomcat tomcat = new Tomcat();
        String folder = WorkFolder.create().toString();
        tomcat.setBaseDir(folder);
        Context context = tomcat.addContext("", folder);
        servlets.forEach((path, servlet) -> {
            Tomcat.addServlet(context, path, servlet).setAsyncSupported(true);
            context.addServletMappingDecoded(path, path);
        });
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
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("acceptCount", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        // Then there is no pool, and no limit.
        connector.setProperty("useVirtualThreads", Boolean.toString(threadKind == ThreadKind.VIRTUAL));
        connector.setProperty("tcpNoDelay", "true");
        // As shipped: 100 requests, and 8,192 connections, of which a request that waits for B holds two.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("maxConnections", "20000");
        return connector;
    }
}

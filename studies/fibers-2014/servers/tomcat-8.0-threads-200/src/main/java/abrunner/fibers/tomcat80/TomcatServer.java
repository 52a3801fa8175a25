package abrunner.fibers.tomcat80;

import abrunner.fibers.servlets2014.Servlets;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.servlet.Servlet;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 8.0 on its NIO connector. */
public final class TomcatServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Map<String, Servlet> servlets;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        servlets = Servlets.byPath(settings);
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
            context.addServletMapping(path, path);
        });
        Connector connector = connector();
        tomcat.getService().addConnector(connector);
        // Or else Tomcat adds another one.
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
        connector.setProperty("tcpNoDelay", "true");
        // As shipped: 100 requests, and 10,000 connections, of which a request that waits for B holds two.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("maxConnections", "20000");
        return connector;
    }
}

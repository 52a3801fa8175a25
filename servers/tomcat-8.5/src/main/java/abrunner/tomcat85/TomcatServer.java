package abrunner.tomcat85;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 8.5 on its NIO connector, serving files by its DefaultServlet: small ones cached, large ones by sendfile. */
public final class TomcatServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(TomcatServer::new);
    }

    @Override
    public void start() throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(WorkFolder.create().toString());
        Context context = tomcat.addContext("", docroot.toString());
        // As in the web.xml that Tomcat ships.
        context.addMimeMapping("html", "text/html");
        // As shipped it caches, and lists no folders.
        Tomcat.addServlet(context, "default", new DefaultServlet());
        context.addServletMappingDecoded("/", "default");
        Connector connector = connector();
        tomcat.setConnector(connector);
        tomcat.start();
        // Tomcat itself starts all the same, and only logs why its connector does not.
        if (connector.getState() != LifecycleState.STARTED) {
            throw new IllegalStateException("the connector does not listen");
        }
    }

    private Connector connector() {
        // Named, so that no library on some path chooses another.
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("acceptCount", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("tcpNoDelay", "true");
        // An idle connection holds no thread: nothing limits its requests, and as many connections are allowed as the load
        // generator can open. As shipped: 100 requests, and 10,000 connections.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("maxConnections", "20000");
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        connector.setProperty("maxHttpHeaderSize", "16384");
        return connector;
    }
}

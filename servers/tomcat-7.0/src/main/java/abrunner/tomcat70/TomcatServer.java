package abrunner.tomcat70;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 7, serving files by its DefaultServlet on the connector that it ships as the default, or on NIO. */
public final class TomcatServer implements Server {
    /** How connections are served. */
    private enum Io {
        /** A pooled thread for each connection. */
        BIO("org.apache.coyote.http11.Http11Protocol"),
        /** Selectors, and a pooled thread for each request. */
        NIO("org.apache.coyote.http11.Http11NioProtocol");

        private final String protocol;

        Io(String protocol) {
            this.protocol = protocol;
        }
    }

    private static final int CACHE_KILOBYTES = 100_000;
    private static final int CACHED_FILE_KILOBYTES = 5_000;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;
    private final Io io;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
        io = settings.choice("IO", Io.BIO);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(TomcatServer::new);
    }

    @Override
    public void start() throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(WorkFolder.create().toString());
        Context context = tomcat.addContext("", docroot.toString());
        if (io == Io.BIO) {
            // The blocking connector has no sendfile: without room in the cache a large file is read for each request.
            ((StandardContext) context).setCacheMaxSize(CACHE_KILOBYTES);
            ((StandardContext) context).setCacheObjectMaxSize(CACHED_FILE_KILOBYTES);
        }
        // As in the web.xml that Tomcat ships.
        context.addMimeMapping("html", "text/html");
        // As shipped it lists no folders.
        Tomcat.addServlet(context, "default", new DefaultServlet());
        context.addServletMapping("/", "default");
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
        // Named, because with a native library on its path Tomcat chooses APR without a word.
        Connector connector = new Connector(io.protocol);
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("acceptCount", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("tcpNoDelay", "true");
        if (io == Io.NIO) {
            // An idle connection holds no thread: nothing limits its requests, and as many connections are allowed as the load
            // generator can open. As shipped: 100 requests, and 10,000 connections.
            connector.setProperty("maxKeepAliveRequests", "-1");
            connector.setProperty("maxConnections", "20000");
        }
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        connector.setProperty("maxHttpHeaderSize", "16384");
        return connector;
    }
}

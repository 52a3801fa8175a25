package abrunner.tomcat11;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import abrunner.harness.WorkFolder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 11, serving files by its DefaultServlet: small ones cached, large ones by sendfile. */
public final class TomcatServer implements Server {
    /** How connections are served. */
    private enum Io {
        /** Selectors, and a thread for each request. */
        NIO("org.apache.coyote.http11.Http11NioProtocol"),
        /** Asynchronous channels, whose completions run on the threads. */
        NIO2("org.apache.coyote.http11.Http11Nio2Protocol");

        private final String protocol;

        Io(String protocol) {
            this.protocol = protocol;
        }
    }

    /** How much of an answer one call writes; a connection keeps a buffer of that size. */
    private enum WriteBuffer {
        /** 8 KB. */
        SHIPPED,
        /** 64 KB: Tomcat's guide advises a larger one where connections are few. */
        LARGE
    }

    private static final int LARGE_WRITE_BUFFER = 64 * 1024;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;
    private final Io io;
    private final ThreadKind threadKind;
    private final WriteBuffer writeBuffer;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
        io = settings.choice("IO", Io.NIO);
        threadKind = settings.threadKind();
        writeBuffer = settings.choice("WRITE_BUFFER", WriteBuffer.SHIPPED);
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
        Connector connector = new Connector(io.protocol);
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("acceptCount", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        // Then there is no pool, and no limit.
        connector.setProperty("useVirtualThreads", Boolean.toString(threadKind == ThreadKind.VIRTUAL));
        connector.setProperty("tcpNoDelay", "true");
        if (writeBuffer == WriteBuffer.LARGE) {
            connector.setProperty("socket.appWriteBufSize", Integer.toString(LARGE_WRITE_BUFFER));
        }
        // An idle connection holds no thread: nothing limits its requests, and as many connections are allowed as the load
        // generator can open. As shipped: 100 requests, and 8,192 connections.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("maxConnections", "20000");
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        connector.setProperty("maxHttpHeaderSize", "16384");
        return connector;
    }
}

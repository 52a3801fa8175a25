package abrunner.tomcat60;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.Container;
import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.loader.WebappLoader;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Embedded;

/** Tomcat 6, serving files by its DefaultServlet on the connector that it ships as the default, or on NIO. */
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
        Embedded tomcat = new Embedded();
        tomcat.setUseNaming(false);
        String home = WorkFolder.create().toString();
        tomcat.setCatalinaHome(home);
        tomcat.setCatalinaBase(home);
        tomcat.addEngine(engine(tomcat, home));
        tomcat.addConnector(connector());
        tomcat.start();
    }

    private Engine engine(Embedded tomcat, String home) {
        Host host = tomcat.createHost("localhost", home);
        // Nothing is deployed while it runs.
        host.setAutoDeploy(false);
        ((StandardHost) host).setDeployOnStartup(false);
        host.addChild(context());

        Engine engine = tomcat.createEngine();
        engine.setName("tomcat");
        engine.setDefaultHost(host.getName());
        engine.addChild(host);
        return engine;
    }

    private Container context() {
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setDocBase(docroot.toString());
        if (io == Io.BIO) {
            // The blocking connector has no sendfile: without room in the cache a large file is read for each request.
            context.setCacheMaxSize(CACHE_KILOBYTES);
            context.setCacheObjectMaxSize(CACHED_FILE_KILOBYTES);
        }
        context.setLoader(new WebappLoader(TomcatServer.class.getClassLoader()));
        // Stands for the reading of a web.xml, without which a context refuses to start.
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.START_EVENT)) {
                context.setConfigured(true);
            }
        });
        // As in the web.xml that Tomcat ships.
        context.addMimeMapping("html", "text/html");
        context.addChild(defaultServlet(context));
        context.addServletMapping("/", "default");
        return context;
    }

    /** As in the web.xml that Tomcat ships: read-only, and lists no folders here. */
    private static Wrapper defaultServlet(StandardContext context) {
        Wrapper servlet = context.createWrapper();
        servlet.setName("default");
        servlet.setServletClass(DefaultServlet.class.getName());
        servlet.addInitParameter("listings", "false");
        servlet.setLoadOnStartup(1);
        return servlet;
    }

    private Connector connector() throws Exception {
        // Named, because with a native library on its path Tomcat chooses APR without a word.
        Connector connector = new Connector(io.protocol);
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("acceptCount", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("tcpNoDelay", "true");
        if (io == Io.NIO) {
            // An idle connection holds no thread: nothing limits its requests. As shipped: 100. Connections have no limit.
            connector.setProperty("maxKeepAliveRequests", "-1");
        }
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        connector.setProperty("maxHttpHeaderSize", "16384");
        return connector;
    }
}

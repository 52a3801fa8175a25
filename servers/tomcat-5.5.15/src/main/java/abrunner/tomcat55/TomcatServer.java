package abrunner.tomcat55;

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

/** Tomcat 5.5.15 with its blocking HTTP connector, serving files by its DefaultServlet. */
public final class TomcatServer implements Server {
    /** The content cache of static files. */
    private enum ContentCache {
        /** As shipped: 10 MB, no file above 1/20 of that. Files above share one stream, and are truncated. */
        SHIPPED,
        /** Big enough for every fixture. */
        LARGE
    }

    private static final int LARGE_CACHE_KILOBYTES = 100_000;

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;
    private final ContentCache contentCache;

    TomcatServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
        contentCache = settings.choice("CONTENT_CACHE", ContentCache.LARGE);
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
        if (contentCache == ContentCache.LARGE) {
            context.setCacheMaxSize(LARGE_CACHE_KILOBYTES);
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
        Connector connector = new Connector("org.apache.coyote.http11.Http11BaseProtocol");
        connector.setProperty("address", address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setProperty("backlog", Integer.toString(backlog));
        connector.setProperty("maxThreads", Integer.toString(threads));
        connector.setProperty("tcpNoDelay", "true");
        // As in the server.xml that Tomcat ships.
        connector.setProperty("maxHttpHeaderSize", "8192");
        connector.setProperty("disableUploadTimeout", "true");
        return connector;
    }
}

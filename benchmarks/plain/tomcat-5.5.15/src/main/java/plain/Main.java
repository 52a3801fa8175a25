package plain;

import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Embedded;

/**
 * After the description of org.apache.catalina.startup.Embedded in Tomcat 5.5's API documentation. The context is made
 * here, for createContext reads a web.xml.
 */
public final class Main {
    public static void main(String[] arguments) throws LifecycleException, InterruptedException {
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setDocBase(System.getenv("DOCROOT"));
        // Files that its cache has no room for share one stream, and are truncated.
        context.setCacheMaxSize(100_000);
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.START_EVENT)) {
                context.setConfigured(true);
            }
        });
        Wrapper files = context.createWrapper();
        files.setName("default");
        files.setServletClass(DefaultServlet.class.getName());
        context.addChild(files);
        context.addServletMapping("/", "default");

        Embedded tomcat = new Embedded();
        tomcat.setUseNaming(false);
        tomcat.setCatalinaHome(System.getProperty("user.dir"));
        context.setLoader(tomcat.createLoader(Main.class.getClassLoader()));
        Host host = tomcat.createHost("localhost", "webapps");
        host.addChild(context);
        Engine engine = tomcat.createEngine();
        engine.setName("tomcat");
        engine.setDefaultHost("localhost");
        engine.addChild(host);
        tomcat.addEngine(engine);
        Connector connector =
                tomcat.createConnector(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT")), false);
        connector.setProperty("backlog", "1000");
        tomcat.addConnector(connector);
        tomcat.start();
        Thread.currentThread().join(); // all threads of Tomcat 6 are daemons
    }
}

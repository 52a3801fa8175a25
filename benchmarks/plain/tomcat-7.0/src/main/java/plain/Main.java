package plain;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;

/** After the descriptions of org.apache.catalina.startup.Tomcat and DefaultServlet in Tomcat's API documentation. */
public final class Main {
    public static void main(String[] arguments) throws IOException, LifecycleException {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
        tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
        Connector connector = tomcat.getConnector();
        connector.setProperty("address", System.getenv("ADDRESS"));
        connector.setProperty("acceptCount", "1000");
        Context context = tomcat.addContext("", System.getenv("DOCROOT"));
        Tomcat.addServlet(context, "default", new DefaultServlet());
        context.addServletMapping("/", "default");
        tomcat.start();
        tomcat.getServer().await();
    }
}

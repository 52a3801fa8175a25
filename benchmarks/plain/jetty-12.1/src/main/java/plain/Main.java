package plain;

import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;

/** After the section on ResourceHandler in Jetty 12.1's programming guide. */
public final class Main {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(System.getenv("ADDRESS"));
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        connector.setAcceptQueueSize(1000);
        server.addConnector(connector);
        ResourceHandler files = new ResourceHandler();
        files.setBaseResource(ResourceFactory.of(files).newResource(Path.of(System.getenv("DOCROOT"))));
        server.setHandler(files);
        server.start();
    }
}

package plain;

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;

/** After FileServer in http://www.eclipse.org/jetty/documentation/current/embedding-jetty.html of Jetty 9. */
public final class Main {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost(System.getenv("ADDRESS"));
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        connector.setAcceptQueueSize(1000);
        server.addConnector(connector);
        ResourceHandler files = new ResourceHandler();
        files.setResourceBase(System.getenv("DOCROOT"));
        server.setHandler(files);
        server.start();
    }
}

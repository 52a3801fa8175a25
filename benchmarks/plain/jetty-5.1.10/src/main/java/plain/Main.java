package plain;

import org.mortbay.http.HttpContext;
import org.mortbay.http.HttpServer;
import org.mortbay.http.SocketListener;
import org.mortbay.http.handler.ResourceHandler;

/** After the embedding example of Jetty 5's tutorial: an HttpServer, a SocketListener, a ResourceHandler. */
public final class Main {
    public static void main(String[] arguments) throws Exception {
        SocketListener listener = new SocketListener();
        listener.setHost(System.getenv("ADDRESS"));
        listener.setPort(Integer.parseInt(System.getenv("PORT")));
        listener.setAcceptQueueSize(1000);
        HttpServer server = new HttpServer();
        server.addListener(listener);
        HttpContext context = server.addContext("/");
        context.setResourceBase(System.getenv("DOCROOT"));
        context.addHandler(new ResourceHandler());
        server.start();
    }
}

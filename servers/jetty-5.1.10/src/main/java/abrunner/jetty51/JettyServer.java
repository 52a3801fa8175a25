package abrunner.jetty51;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.mortbay.http.HttpContext;
import org.mortbay.http.HttpListener;
import org.mortbay.http.HttpServer;
import org.mortbay.http.SocketListener;
import org.mortbay.http.handler.ResourceHandler;

/** Jetty 5.1.10, serving files by its ResourceHandler. */
public final class JettyServer implements Server {
    /** How connections are listened to. */
    private enum Listener {
        /** SocketListener: a thread for each connection. */
        BLOCKING,
        /** SocketChannelListener: a selector, and all the same a thread for each connection. */
        NIO
    }

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;
    private final Listener listener;

    JettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
        listener = settings.choice("LISTENER", Listener.BLOCKING);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyServer::new);
    }

    @Override
    public void start() throws Exception {
        ResourceHandler files = new ResourceHandler();
        files.setDirAllowed(false);

        HttpServer server = new HttpServer();
        HttpContext context = server.addContext("/");
        context.setResourceBase(docroot.toString());
        context.addHandler(files);
        server.addListener(listener == Listener.NIO ? nioListener() : blockingListener());
        server.start();
    }

    private HttpListener blockingListener() throws UnknownHostException {
        SocketListener blocking = new SocketListener();
        blocking.setHost(address.getAddress().getHostAddress());
        blocking.setPort(address.getPort());
        blocking.setAcceptQueueSize(backlog);
        blocking.setTcpNoDelay(true);
        blocking.setMaxThreads(threads);
        return blocking;
    }

    private HttpListener nioListener() {
        BacklogChannelListener nio = new BacklogChannelListener(address, backlog);
        nio.setMaxThreads(threads);
        return nio;
    }
}

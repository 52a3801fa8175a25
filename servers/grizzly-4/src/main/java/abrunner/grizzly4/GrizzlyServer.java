package abrunner.grizzly4;

import abrunner.harness.Launcher;
import abrunner.harness.RequestHeadReader;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.StaticHttpHandler;
import org.glassfish.grizzly.nio.transport.TCPNIOTransport;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;

/** Grizzly 4 with its StaticHttpHandler, and a handler for /echo. */
public final class GrizzlyServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    GrizzlyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(GrizzlyServer::new);
    }

    @Override
    public void start() throws IOException {
        StaticHttpHandler files = new StaticHttpHandler(docroot.toString());
        files.setFileCacheEnabled(false);

        HttpServer server = new HttpServer();
        server.addListener(listener());
        server.getServerConfiguration().addHttpHandler(files, "/");
        server.getServerConfiguration().addHttpHandler(new EchoHandler(), HeadKeepingFilter.ECHO);
        server.start();
    }

    private NetworkListener listener() {
        NetworkListener listener = new NetworkListener("http", address.getAddress().getHostAddress(), address.getPort());
        listener.setMaxHttpHeaderSize(RequestHeadReader.MAX_HEAD);
        listener.getKeepAlive().setMaxRequestsCount(-1);
        // It answers from its cache with "Connection: close", and does not close.
        listener.getFileCache().setEnabled(false);
        listener.setSendFileEnabled(true);
        listener.registerAddOn((self, chain) ->
                chain.set(chain.indexOfType(HttpServerFilter.class), new HeadKeepingFilter(self)));

        TCPNIOTransport transport = listener.getTransport();
        transport.setServerConnectionBackLog(backlog);
        transport.setTcpNoDelay(true);
        transport.setWorkerThreadPoolConfig(
                ThreadPoolConfig.defaultConfig().setCorePoolSize(threads).setMaxPoolSize(threads));
        return listener;
    }
}

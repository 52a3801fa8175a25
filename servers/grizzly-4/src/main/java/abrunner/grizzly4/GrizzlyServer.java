package abrunner.grizzly4;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.server.FileCacheFilter;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.RequestExecutorProvider;
import org.glassfish.grizzly.http.server.StaticHttpHandler;
import org.glassfish.grizzly.memory.PooledMemoryManager;
import org.glassfish.grizzly.nio.transport.TCPNIOTransport;
import org.glassfish.grizzly.utils.IdleTimeoutFilter;

/** Grizzly 4 with its StaticHttpHandler, and echo before HTTP or behind it. */
public final class GrizzlyServer implements Server {
    /** As in Grizzly's own benchmarks: nothing here blocks, so the selector's thread need not hand requests over. */
    static final RequestExecutorProvider SELECTOR_THREAD = new RequestExecutorProvider.SameThreadProvider();

    /** After so long a cached file is looked at again; as shipped, never. */
    private static final int CACHE_SECONDS = 5;

    private final InetSocketAddress address;
    private final int backlog;
    private final Path docroot;
    private final Echo echo;

    GrizzlyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        docroot = settings.docroot();
        echo = settings.choice("ECHO", Echo.RAW);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(GrizzlyServer::new);
    }

    @Override
    public void start() throws IOException {
        StaticHttpHandler files = new StaticHttpHandler(docroot.toString()) {
            @Override
            public RequestExecutorProvider getRequestExecutorProvider() {
                return SELECTOR_THREAD;
            }
        };

        HttpServer server = new HttpServer();
        server.addListener(listener());
        server.getServerConfiguration().addHttpHandler(files, "/");
        if (echo == Echo.HTTP) {
            server.getServerConfiguration().addHttpHandler(new HttpEchoHandler(), HeadKeepingFilter.ECHO);
        }
        server.start();
    }

    private NetworkListener listener() {
        NetworkListener listener = new NetworkListener("http", address.getAddress().getHostAddress(), address.getPort());
        listener.getKeepAlive().setMaxRequestsCount(-1);
        listener.getFileCache().setSecondsMaxAge(CACHE_SECONDS);
        listener.registerAddOn((self, chain) -> {
            // As in Grizzly's own benchmarks. It would also end connections on which an earlier filter answers.
            chain.remove(chain.indexOfType(IdleTimeoutFilter.class));
            chain.set(chain.indexOfType(FileCacheFilter.class), new ClosingFileCacheFilter(self.getFileCache()));
            int http = chain.indexOfType(HttpServerFilter.class);
            if (echo == Echo.HTTP) {
                chain.set(http, new HeadKeepingFilter(self));
            } else {
                chain.add(http, new EchoFilter());
            }
        });

        TCPNIOTransport transport = listener.getTransport();
        transport.setServerConnectionBackLog(backlog);
        transport.setTcpNoDelay(true);
        transport.setWorkerThreadPoolConfig(null);
        transport.setMemoryManager(new PooledMemoryManager());
        return listener;
    }
}

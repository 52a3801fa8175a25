package abrunner.grizzly19;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import com.sun.grizzly.ProtocolChain;
import com.sun.grizzly.http.SelectorThread;
import com.sun.grizzly.standalone.StaticStreamAlgorithm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Grizzly 1.9 with its static file serving, and echo before HTTP. */
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
    public void start() throws IOException, InstantiationException {
        SelectorThread server = new SelectorThread() {
            @Override
            protected void configureFilters(ProtocolChain chain) {
                super.configureFilters(chain);
                // Between the one that reads and the one that understands HTTP.
                chain.addFilter(1, new EchoFilter());
            }
        };
        server.setInet(address.getAddress());
        server.setPort(address.getPort());
        server.setSsBackLog(backlog);
        server.setTcpNoDelay(true);
        // It starts with five, as shipped. More are for requests that wait for their client in a thread.
        server.setMaxThreads(threads);
        server.setMaxKeepAliveRequests(-1);
        // The one that asks the file cache, which needs to know the folder, too.
        server.setAlgorithmClassName(StaticStreamAlgorithm.class.getName());
        server.setWebAppRootPath(docroot.toString());
        server.setAdapter(new FileAdapter(docroot.toString()));
        server.listen();
    }
}

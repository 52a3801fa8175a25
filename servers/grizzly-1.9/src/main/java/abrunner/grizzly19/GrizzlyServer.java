package abrunner.grizzly19;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import com.sun.grizzly.http.ProcessorTask;
import com.sun.grizzly.http.SelectorThread;
import com.sun.grizzly.http.embed.GrizzlyWebServer;
import com.sun.grizzly.tcp.Request;
import com.sun.grizzly.tcp.http11.InternalInputBuffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Grizzly 1.9 with its static file serving, and an adapter for /echo. */
public final class GrizzlyServer implements Server {
    /** By itself it takes 8 KB, and a little less of a head. */
    private static final int MAX_HEAD = 16 * 1024;

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
        GrizzlyWebServer server = new GrizzlyWebServer(address.getPort(), docroot.toString());
        server.setCoreThreads(threads);
        server.setMaxThreads(threads);
        server.addGrizzlyAdapter(new FileAdapter(docroot.toString()), new String[] {"/"});
        server.addGrizzlyAdapter(new EchoAdapter(), new String[] {EchoAdapter.ECHO});

        SelectorThread selector = server.getSelectorThread();
        selector.setInet(address.getAddress());
        selector.setSsBackLog(backlog);
        selector.setTcpNoDelay(true);
        selector.setMaxKeepAliveRequests(-1);
        // As in Grizzly 4, where the cache cannot be used.
        selector.setFileCacheIsEnabled(false);
        selector.setProcessorTaskFactory((self, initialize) -> new ProcessorTask(initialize, self.getBufferResponse()) {
            @Override
            protected InternalInputBuffer createInputBuffer(Request request, int size) {
                return new HeadKeepingInput(request, MAX_HEAD);
            }
        });
        server.start();
    }
}

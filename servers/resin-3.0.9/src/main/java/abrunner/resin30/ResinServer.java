package abrunner.resin30;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import com.caucho.config.NodeBuilder;
import com.caucho.loader.EnvironmentClassLoader;
import com.caucho.server.port.Port;
import com.caucho.server.resin.ServletServer;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resin 3.0.9, serving files by its FileServlet. Its own main program insists on its log manager and refuses the
 * JMX of any JVM after 1.4; this one starts the same parts.
 */
public final class ResinServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    ResinServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(ResinServer::new);
    }

    @Override
    public void start() throws Exception {
        Path home = WorkFolder.create();
        // Read by Resin, and by the expressions in resin.conf.
        System.setProperty("resin.home", home.toString());
        System.setProperty("webapp", Files.createDirectory(home.resolve("webapp")).toString());
        System.setProperty("docroot", docroot.toString());
        System.setProperty("threads", Integer.toString(threads));
        try {
            listen(startContainer());
        } catch (Exception | Error broken) {
            throw broken;
        } catch (Throwable undeclared) {
            throw new IllegalStateException(undeclared);
        }
    }

    private static ServletServer startContainer() throws Throwable {
        EnvironmentClassLoader.initializeEnvironment();
        com.caucho.server.resin.ResinServer resin = new com.caucho.server.resin.ResinServer();
        try (InputStream configuration = ResinServer.class.getResourceAsStream("resin.conf")) {
            new NodeBuilder().configure(resin, configuration);
        }
        resin.start();
        return (ServletServer) resin.getServerList().get(0);
    }

    /** Only now: a port in resin.conf would be open before there is anything to answer. */
    private void listen(ServletServer server) throws Throwable {
        Port http = new Port();
        http.setParent(server);
        http.setHost(address.getAddress().getHostAddress());
        http.setPort(address.getPort());
        http.setSocketListenBacklog(backlog);
        http.setTcpNoDelay(true);
        server.addHttp(http);
        http.init();
        http.start();
    }
}

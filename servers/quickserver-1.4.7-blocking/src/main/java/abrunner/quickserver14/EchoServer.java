package abrunner.quickserver14;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.quickserver.net.AppException;
import org.quickserver.net.server.DataMode;
import org.quickserver.net.server.DataType;
import org.quickserver.net.server.QuickServer;
import org.quickserver.util.xmlreader.ObjectPoolConfig;

/** An echo server on QuickServer 1.4.7. */
public final class EchoServer implements Server {
    /** Which threads do the work. */
    private enum Mode {
        /** One for each connection, from the pool as shipped: it grows without limit, and keeps 50. */
        BLOCKING,
        /** One for each connection, from a pool of a fixed size. */
        BLOCKING_STARTED,
        /** One for each event that a selector tells, from the pool as shipped. */
        NONBLOCKING
    }

    /** Kept here because java.util.logging holds loggers, and so their levels, weakly. */
    private static final Logger LIBRARY = Logger.getLogger("org.quickserver");

    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Mode mode;

    EchoServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        mode = settings.choice("MODE", Mode.BLOCKING);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(EchoServer::new);
    }

    @Override
    public void start() throws AppException, IOException {
        // It warns of every connection that has to wait for a thread.
        LIBRARY.setLevel(Level.SEVERE);
        QuickServer server = new QuickServer();
        server.setServerBanner("");
        server.setBindAddr(address.getAddress().getHostAddress());
        server.setPort(address.getPort());
        server.setMaxConnection(-1);
        server.setCommunicationLogging(false);
        server.setClientData(Connection.class.getName());
        server.setClientEventHandler(EchoHandler.class.getName());
        server.setClientBinaryHandler(EchoHandler.class.getName());
        server.setDefaultDataMode(DataMode.BINARY, DataType.IN);
        server.setDefaultDataMode(DataMode.BINARY, DataType.OUT);
        server.getBasicConfig().getServerMode().setBlocking(mode != Mode.NONBLOCKING);
        server.getBasicConfig().getAdvancedSettings().setBacklog(backlog);
        if (mode == Mode.BLOCKING_STARTED) {
            fixSize(server.getBasicConfig().getObjectPoolConfig());
        }
        server.startServer();
    }

    private void fixSize(ObjectPoolConfig pools) {
        // For all pools, of which that of the connections must have no limit: it turns away what exceeds it.
        pools.setInitSize(threads);
        pools.setMaxIdle(threads);
        pools.getThreadObjectPoolConfig().setMaxActive(threads);
    }
}

package abrunner.mina09;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.mina.common.IoAcceptor;
import org.apache.mina.filter.ThreadPoolFilter;
import org.apache.mina.transport.socket.nio.SocketAcceptor;
import org.apache.mina.transport.socket.nio.SocketAcceptorConfig;
import org.apache.mina.transport.socket.nio.SocketSessionConfig;

/** An echo server on MINA 0.9.2. */
public final class MinaServer implements Server {
    /** Where the handler runs. */
    private enum Handler {
        /** On MINA's I/O thread. */
        IO_THREAD,
        /** Behind a ThreadPoolFilter of unlimited size, as an application of 2006 would have had it. */
        THREAD_POOL
    }

    /** MINA sets a size on each socket, and by itself a small one: this holds the longest answer. */
    private static final int SEND_BUFFER_BYTES = 128 * 1024;

    private final InetSocketAddress address;
    private final int backlog;
    private final Handler handler;

    MinaServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        handler = settings.choice("HANDLER", Handler.IO_THREAD);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(MinaServer::new);
    }

    @Override
    public void start() throws IOException {
        IoAcceptor acceptor = new SocketAcceptor();
        if (handler == Handler.THREAD_POOL) {
            acceptor.getFilterChain().addLast("threadPool", new ThreadPoolFilter());
        }
        acceptor.bind(address, new EchoHandler(), config());
    }

    private SocketAcceptorConfig config() {
        SocketAcceptorConfig config = new SocketAcceptorConfig();
        config.setBacklog(backlog);
        config.setReuseAddress(true);
        SocketSessionConfig session = (SocketSessionConfig) config.getSessionConfig();
        // MINA clears it on accepted sockets; then the port cannot be bound again for a minute.
        session.setReuseAddress(true);
        session.setTcpNoDelay(true);
        session.setSendBufferSize(SEND_BUFFER_BYTES);
        return config;
    }
}

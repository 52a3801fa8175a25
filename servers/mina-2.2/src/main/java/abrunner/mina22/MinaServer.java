package abrunner.mina22;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.mina.transport.socket.SocketAcceptor;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** An echo server on MINA 2.2, its handler on MINA's I/O threads. */
public final class MinaServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;

    MinaServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(MinaServer::new);
    }

    @Override
    public void start() throws IOException {
        SocketAcceptor acceptor = new NioSocketAcceptor();
        acceptor.setBacklog(backlog);
        acceptor.setReuseAddress(true);
        acceptor.getSessionConfig().setTcpNoDelay(true);
        acceptor.setHandler(new EchoHandler());
        acceptor.bind(address);
    }
}

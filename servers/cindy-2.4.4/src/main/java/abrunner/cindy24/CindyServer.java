package abrunner.cindy24;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import net.sf.cindy.impl.SimpleServerSocketSession;

/** An echo server on Cindy 2.4, all of it on Cindy's one I/O thread. */
public final class CindyServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;

    CindyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(CindyServer::new);
    }

    @Override
    public void start() throws IOException {
        SimpleServerSocketSession server = new SimpleServerSocketSession();
        // Cindy has no setting for the backlog, and takes a channel that is bound.
        server.setChannel(ServerSocketChannel.open().bind(address, backlog));
        server.addSocketSessionListener(new EchoHandler());
        // Waits until it listens.
        server.start(true);
    }
}

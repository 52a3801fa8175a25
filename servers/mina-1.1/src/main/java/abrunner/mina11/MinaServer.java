package abrunner.mina11;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.mina.common.ByteBuffer;
import org.apache.mina.common.SimpleByteBufferAllocator;
import org.apache.mina.common.ThreadModel;
import org.apache.mina.transport.socket.nio.SocketAcceptor;
import org.apache.mina.transport.socket.nio.SocketAcceptorConfig;

/** An echo server on MINA 1.1, its handler on MINA's I/O thread. */
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
        // As its own tutorial begins: heap buffers that are not pooled.
        ByteBuffer.setUseDirectBuffers(false);
        ByteBuffer.setAllocator(new SimpleByteBufferAllocator());
        SocketAcceptor acceptor = new SocketAcceptor();
        // Its own, for this one sets SO_REUSEADDR on accepted sockets, too.
        SocketAcceptorConfig config = acceptor.getDefaultConfig();
        config.setBacklog(backlog);
        config.setReuseAddress(true);
        config.getSessionConfig().setTcpNoDelay(true);
        // The handler never blocks, and needs no pool behind the I/O thread.
        config.setThreadModel(ThreadModel.MANUAL);
        acceptor.bind(address, new EchoHandler(), config);
    }
}

package abrunner.template;

import abrunner.harness.EchoConnection;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An echo server on the JDK's blocking sockets: each connection has a thread of the pool while it lasts. */
public final class EchoServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final ExecutorService pool;

    EchoServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        pool = Executors.newFixedThreadPool(settings.threads());
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(EchoServer::new);
    }

    @Override
    public void start() throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(address, backlog);
        new Thread(() -> acceptFrom(listener), "acceptor").start();
    }

    private void acceptFrom(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                pool.execute(() -> serve(socket));
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static void serve(Socket accepted) {
        try (Socket socket = accepted) {
            socket.setTcpNoDelay(true);
            EchoConnection connection = new EchoConnection();
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[8192];
            while (!connection.isOver()) {
                int count = in.read(bytes);
                if (count < 0) {
                    return;
                }
                socket.getOutputStream().write(connection.receive(bytes, 0, count));
            }
        } catch (IOException gone) {
            // The client, and nobody else needs to know.
        }
    }
}

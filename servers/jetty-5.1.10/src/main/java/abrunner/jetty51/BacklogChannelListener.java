package abrunner.jetty51;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.mortbay.http.HttpConnection;
import org.mortbay.http.HttpRequest;
import org.mortbay.http.nio.SocketChannelListener;

/**
 * Jetty's SocketChannelListener with the backlog and the TCP_NODELAY that it has no setters for. It listens by a
 * channel of its own; accepting, reading and answering stay Jetty's.
 */
final class BacklogChannelListener extends SocketChannelListener {
    private static final long serialVersionUID = 1L;

    private final InetSocketAddress address;
    private final int backlog;

    BacklogChannelListener(InetSocketAddress address, int backlog) {
        this.address = address;
        this.backlog = backlog;
    }

    @Override
    public void start() throws Exception {
        // Jetty binds as it knows to, where nobody calls; then another channel takes the place in its selector.
        setHost(InetAddress.getLoopbackAddress().getHostAddress());
        setPort(0);
        super.start();
        Selector selector = selector();
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.configureBlocking(false);
        channel.bind(address, backlog);
        register(channel, selector);
        selector.wakeup();
    }

    /** Up to Java 10 nothing can be registered while a selector waits, as this one does: it is woken until that is done. */
    private static void register(ServerSocketChannel channel, Selector selector) throws IOException {
        Thread waker = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                selector.wakeup();
                Thread.yield();
            }
        });
        waker.setDaemon(true);
        waker.start();
        try {
            channel.register(selector, SelectionKey.OP_ACCEPT);
        } finally {
            waker.interrupt();
        }
    }

    @Override
    public void customizeRequest(HttpConnection connection, HttpRequest request) {
        // On the first request of a connection; getObject is what Jetty keeps for its users.
        if (connection.getObject() == null) {
            connection.setObject(Boolean.TRUE);
            setTcpNoDelay((SocketChannel) connection.getConnection());
        }
        super.customizeRequest(connection, request);
    }

    private static void setTcpNoDelay(SocketChannel channel) {
        try {
            channel.socket().setTcpNoDelay(true);
        } catch (SocketException closed) {
            // The client is gone, as Jetty will find out.
        }
    }

    /** There is no other way to it. */
    private Selector selector() throws IOException {
        try {
            Field field = SocketChannelListener.class.getDeclaredField("_selector");
            field.setAccessible(true);
            return (Selector) field.get(this);
        } catch (ReflectiveOperationException impossible) {
            throw new IOException("not the SocketChannelListener of Jetty 5.1.10", impossible);
        }
    }
}

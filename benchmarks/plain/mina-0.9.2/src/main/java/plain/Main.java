package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.mina.common.ByteBuffer;
import org.apache.mina.common.IoHandlerAdapter;
import org.apache.mina.common.IoSession;
import org.apache.mina.common.WriteFuture;
import org.apache.mina.transport.socket.nio.SocketAcceptor;
import org.apache.mina.transport.socket.nio.SocketAcceptorConfig;
import org.apache.mina.transport.socket.nio.SocketSessionConfig;

/** After org.apache.mina.examples.echoserver of MINA 0.9, on the I/O thread: behind a ThreadPoolFilter it hangs. */
public final class Main extends IoHandlerAdapter {
    public static void main(String[] arguments) throws IOException {
        SocketAcceptorConfig config = new SocketAcceptorConfig();
        config.setBacklog(1000);
        config.setReuseAddress(true);
        SocketSessionConfig session = (SocketSessionConfig) config.getSessionConfig();
        session.setReuseAddress(true);
        session.setTcpNoDelay(true);
        new SocketAcceptor().bind(
                new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))), new Main(),
                config);
    }

    @Override
    public void messageReceived(IoSession session, Object message) {
        ByteBuffer received = (ByteBuffer) message;
        byte[] bytes = new byte[received.remaining()];
        received.get(bytes);
        String request = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!request.endsWith("\r\n\r\n")) {
            throw new IllegalStateException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes.length
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        WriteFuture written = session.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.ISO_8859_1)));
        if (!keepAlive) {
            written.setCallback(future -> session.close());
        }
    }
}

package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.mina.common.ByteBuffer;
import org.apache.mina.common.IoFutureListener;
import org.apache.mina.common.IoHandlerAdapter;
import org.apache.mina.common.IoSession;
import org.apache.mina.common.ThreadModel;
import org.apache.mina.common.WriteFuture;
import org.apache.mina.transport.socket.nio.SocketAcceptor;
import org.apache.mina.transport.socket.nio.SocketAcceptorConfig;

/**
 * After the quick start guide of MINA 1.1, and its page on the thread model, which strongly recommends MANUAL:
 * https://cwiki.apache.org/confluence/display/MINA/Configuring+Thread+Model
 */
public final class Main extends IoHandlerAdapter {
    public static void main(String[] arguments) throws IOException {
        SocketAcceptor acceptor = new SocketAcceptor();
        SocketAcceptorConfig config = acceptor.getDefaultConfig();
        config.setThreadModel(ThreadModel.MANUAL);
        config.setBacklog(1000);
        config.setReuseAddress(true);
        config.getSessionConfig().setTcpNoDelay(true);
        acceptor.bind(new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))),
                new Main(), config);
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
            written.addListener(IoFutureListener.CLOSE);
        }
    }
}

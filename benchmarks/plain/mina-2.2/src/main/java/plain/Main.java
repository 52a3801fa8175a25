package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** After MINA's quick start guide: https://mina.apache.org/mina-project/quick-start-guide.html */
public final class Main extends IoHandlerAdapter {
    public static void main(String[] arguments) throws IOException {
        NioSocketAcceptor acceptor = new NioSocketAcceptor();
        acceptor.setBacklog(1000);
        acceptor.setReuseAddress(true);
        acceptor.getSessionConfig().setTcpNoDelay(true);
        acceptor.setHandler(new Main());
        acceptor.bind(new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))));
    }

    @Override
    public void messageReceived(IoSession session, Object message) {
        IoBuffer received = (IoBuffer) message;
        byte[] bytes = new byte[received.remaining()];
        received.get(bytes);
        String request = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!request.endsWith("\r\n\r\n")) {
            throw new IllegalStateException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes.length
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        session.write(IoBuffer.wrap(answer.getBytes(StandardCharsets.ISO_8859_1)));
        if (!keepAlive) {
            session.closeOnFlush();
        }
    }
}

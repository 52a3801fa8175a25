package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import net.sf.cindy.Message;
import net.sf.cindy.Session;
import net.sf.cindy.SessionAdapter;
import net.sf.cindy.impl.ByteArrayMessage;
import net.sf.cindy.impl.SimpleServerSocketSession;
import net.sf.cindy.impl.SocketSession;

/** After TcpEchoServer, the example of Cindy 2.4; the channel brings the backlog, which Cindy has no setting for. */
public final class Main extends SessionAdapter {
    public static void main(String[] arguments) throws IOException {
        SimpleServerSocketSession server = new SimpleServerSocketSession();
        server.setChannel(ServerSocketChannel.open().bind(
                new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))), 1000));
        server.addSocketSessionListener(new Main());
        server.start(false);
    }

    @Override
    public void sessionEstablished(Session session) throws SocketException {
        ((SocketSession) session).getChannel().socket().setTcpNoDelay(true);
    }

    @Override
    public void messageReceived(Session session, Message message) {
        byte[] bytes = ((ByteArrayMessage) message).getContent();
        String request = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!request.endsWith("\r\n\r\n")) {
            throw new IllegalStateException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        session.setAttachment(keepAlive);
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes.length
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        session.write(new ByteArrayMessage(answer.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Override
    public void messageSent(Session session, Message message) {
        if (session.getAttachment() == Boolean.FALSE) {
            session.close();
        }
    }
}

package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.sf.cindy.Buffer;
import net.sf.cindy.Future;
import net.sf.cindy.Packet;
import net.sf.cindy.Session;
import net.sf.cindy.SessionAcceptor;
import net.sf.cindy.SessionAcceptorHandlerAdapter;
import net.sf.cindy.SessionHandlerAdapter;
import net.sf.cindy.SessionType;
import net.sf.cindy.packet.DefaultPacket;
import net.sf.cindy.session.SessionFactory;
import net.sf.cindy.util.Charset;
import net.sf.cindy.util.Configuration;

/** After net.sf.cindy.example.http of Cindy 3.0b1: HttpServer with its EchoHandler or its CachedFileHandler. */
public final class Main extends SessionHandlerAdapter {
    private static final byte[] END = "\r\n\r\n".getBytes();

    private final boolean echo = "echo".equals(System.getenv("WORKLOAD"));
    private final Map<String, ByteBuffer> files = new ConcurrentHashMap<>();

    public static void main(String[] arguments) {
        Main handler = new Main();
        Configuration.set("session.reuseAddress", "true");
        SessionAcceptor acceptor = SessionFactory.createSessionAcceptor(SessionType.TCP);
        acceptor.setListenAddress(
                new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))));
        acceptor.setBacklog(1000);
        acceptor.setReuseAddress(true);
        acceptor.setAcceptorHandler(new SessionAcceptorHandlerAdapter() {
            @Override
            public void sessionAccepted(SessionAcceptor itself, Session session) {
                session.setPacketDecoder(Main::decode);
                session.setSessionHandler(handler);
                session.start();
            }
        });
        acceptor.start();
    }

    private static String decode(Session session, Packet packet) {
        Buffer received = packet.getContent();
        int end = received.indexOf(END);
        return end < 0 ? null : received.getString(Charset.UTF8, end - received.position() + END.length);
    }

    @Override
    public void objectReceived(Session session, Object message) throws IOException {
        String request = (String) message;
        boolean keepAlive = request.contains("Keep-Alive");
        ByteBuffer body = echo ? Charset.UTF8.encode(request) : file(request.split(" ", 3)[1]);
        session.flush(new DefaultPacket(Charset.UTF8.encode("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                + "Content-Length: " + body.remaining() + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close")
                + "\r\n\r\n")));
        Future written = session.flush(new DefaultPacket(body));
        if (!keepAlive) {
            written.addListener(future -> session.close());
        }
    }

    private ByteBuffer file(String path) throws IOException {
        ByteBuffer content = files.get(path);
        if (content == null) {
            try (FileChannel channel = FileChannel.open(Paths.get(System.getenv("DOCROOT") + path))) {
                content = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            }
            files.put(path, content);
        }
        return content.duplicate();
    }
}

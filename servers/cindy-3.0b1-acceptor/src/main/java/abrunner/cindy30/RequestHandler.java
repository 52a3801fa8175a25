package abrunner.cindy30;

import abrunner.harness.EchoConnection;
import abrunner.harness.FileCache;
import abrunner.harness.HttpDate;
import abrunner.harness.RequestHead;
import abrunner.harness.ServedFile;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.sf.cindy.Future;
import net.sf.cindy.Packet;
import net.sf.cindy.Session;
import net.sf.cindy.SessionHandlerAdapter;
import net.sf.cindy.packet.DefaultPacket;
import net.sf.cindy.session.nio.SocketChannelSession;

/** Answers the requests of one connection: /echo with the request's own head, all others with files. */
final class RequestHandler extends SessionHandlerAdapter {
    private static final String ECHO = "/echo";
    private static final String TEXT = "Content-Type: text/plain";

    private final FileCache files;
    /** Whether the last answer has been given. */
    private boolean over;

    RequestHandler(FileCache files) {
        this.files = files;
    }

    @Override
    public void sessionStarted(Session session) throws SocketException {
        // An acceptor has set it, a ServerSocketChannelSession has not: the head of a large file and the file are two
        // packets, and would wait for each other.
        ((SocketChannelSession) session).getSocket().setTcpNoDelay(true);
    }

    @Override
    public void objectReceived(Session session, Object message) throws IOException {
        if (!over) {
            RequestHead request = (RequestHead) message;
            answer(session, request, request.keepsAlive());
        }
    }

    @Override
    public void exceptionCaught(Session session, Throwable cause) {
        session.close();
    }

    private void answer(Session session, RequestHead request, boolean keepAlive) throws IOException {
        boolean isHead = request.method().equals("HEAD");
        if (!isHead && !request.method().equals("GET")) {
            // Its body is not read.
            write(session, head("405 Method Not Allowed", TEXT, 0, false), false);
        } else if (!isHead && request.target().equals(ECHO)) {
            write(session, EchoConnection.answer(request, keepAlive), keepAlive);
        } else {
            ServedFile file = files.find(request.target());
            if (file == null) {
                write(session, head("404 Not Found", TEXT, 0, keepAlive), keepAlive);
            } else {
                send(session, file, isHead, keepAlive);
            }
        }
    }

    private void send(Session session, ServedFile file, boolean isHead, boolean keepAlive) throws IOException {
        String fields = "Content-Type: " + file.contentType() + "\r\nLast-Modified: " + file.lastModified();
        byte[] head = head("200 OK", fields, file.length(), keepAlive);
        byte[] content = file.content();
        if (isHead) {
            write(session, head, keepAlive);
        } else if (content != null) {
            byte[] answer = Arrays.copyOf(head, head.length + content.length);
            System.arraycopy(content, 0, answer, head.length, content.length);
            write(session, answer, keepAlive);
        } else {
            Packet mapped = new DefaultPacket(file.mapped());
            session.flush(new DefaultPacket(head));
            endWith(session.flush(mapped), keepAlive);
        }
    }

    private void write(Session session, byte[] answer, boolean keepAlive) {
        endWith(session.flush(new DefaultPacket(answer)), keepAlive);
    }

    private void endWith(Future written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            // Closing at once would cut off what is not yet written.
            written.addListener(all -> all.getSession().close());
        }
    }

    private static byte[] head(String status, String fields, long length, boolean keepAlive) {
        return ("HTTP/1.1 " + status + "\r\nDate: " + HttpDate.now() + "\r\n" + fields
                + "\r\nContent-Length: " + length + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close")
                + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }
}

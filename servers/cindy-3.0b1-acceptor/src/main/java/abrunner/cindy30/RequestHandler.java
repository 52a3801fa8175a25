package abrunner.cindy30;

import abrunner.harness.Docroot;
import abrunner.harness.RequestHead;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import net.sf.cindy.Future;
import net.sf.cindy.Session;
import net.sf.cindy.SessionHandlerAdapter;
import net.sf.cindy.packet.DefaultPacket;
import net.sf.cindy.session.nio.SocketChannelSession;

/** Answers the requests of one connection: /echo with the request's own head, all others with files. */
final class RequestHandler extends SessionHandlerAdapter {
    private static final String ECHO = "/echo";
    private static final String TEXT = "text/plain";

    private final Docroot docroot;
    private final MappedFiles files;
    /** Whether the last answer has been given. */
    private boolean over;

    RequestHandler(Docroot docroot, MappedFiles files) {
        this.docroot = docroot;
        this.files = files;
    }

    @Override
    public void sessionStarted(Session session) throws SocketException {
        // An acceptor has set it, a ServerSocketChannelSession has not: head and file are two packets, and would wait
        // for each other.
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
            write(session, "405 Method Not Allowed", new byte[0], false);
        } else if (!isHead && request.target().equals(ECHO)) {
            write(session, "200 OK", request.bytes(), keepAlive);
        } else {
            Path file = docroot.find(request.target());
            if (file == null) {
                write(session, "404 Not Found", new byte[0], keepAlive);
            } else {
                send(session, file, isHead, keepAlive);
            }
        }
    }

    private void send(Session session, Path file, boolean isHead, boolean keepAlive) throws IOException {
        ByteBuffer content = files.content(file);
        byte[] head = head("200 OK", Docroot.contentType(file), content.remaining(), keepAlive);
        Future last = session.flush(new DefaultPacket(head));
        if (!isHead) {
            last = session.flush(new DefaultPacket(content));
        }
        endWith(last, keepAlive);
    }

    private void write(Session session, String status, byte[] body, boolean keepAlive) {
        byte[] head = head(status, TEXT, body.length, keepAlive);
        ByteBuffer answer = ByteBuffer.allocate(head.length + body.length);
        answer.put(head).put(body).flip();
        endWith(session.flush(new DefaultPacket(answer)), keepAlive);
    }

    private void endWith(Future written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            // Closing at once would cut off what is not yet written.
            written.addListener(all -> all.getSession().close());
        }
    }

    private static byte[] head(String status, String type, long length, boolean keepAlive) {
        return ("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + length
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}

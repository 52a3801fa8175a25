package abrunner.cindy24;

import abrunner.harness.EchoConnection;
import java.net.SocketException;
import net.sf.cindy.Message;
import net.sf.cindy.Session;
import net.sf.cindy.SessionAdapter;
import net.sf.cindy.impl.ByteArrayMessage;
import net.sf.cindy.impl.SocketSession;

/** Answers each request with its own head. */
final class EchoHandler extends SessionAdapter {
    @Override
    public void sessionEstablished(Session session) throws SocketException {
        session.setAttachment(new EchoConnection());
        ((SocketSession) session).getChannel().socket().setTcpNoDelay(true);
    }

    /** Takes what has come in: by itself Cindy makes one message of it. */
    @Override
    public void messageReceived(Session session, Message message) {
        EchoConnection connection = (EchoConnection) session.getAttachment();
        if (connection.isOver()) {
            return;
        }
        byte[] bytes = ((ByteArrayMessage) message).getContent();
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            session.write(new ByteArrayMessage(answers));
        } else if (connection.isOver()) {
            session.close();
        }
    }

    @Override
    public void messageSent(Session session, Message message) {
        // Closing earlier would cut off what is not yet written.
        if (((EchoConnection) session.getAttachment()).isOver() && session.getWriteQueueSize() == 0) {
            session.close();
        }
    }

    @Override
    public void exceptionCaught(Session session, Throwable cause) {
        session.close();
    }
}

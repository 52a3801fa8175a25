package abrunner.mina11;

import abrunner.harness.EchoConnection;
import org.apache.mina.common.ByteBuffer;
import org.apache.mina.common.IoFutureListener;
import org.apache.mina.common.IoHandlerAdapter;
import org.apache.mina.common.IoSession;

/** Answers each request with its own head. */
final class EchoHandler extends IoHandlerAdapter {
    @Override
    public void sessionCreated(IoSession session) {
        session.setAttachment(new EchoConnection());
    }

    @Override
    public void messageReceived(IoSession session, Object message) {
        EchoConnection connection = (EchoConnection) session.getAttachment();
        if (connection.isOver()) {
            return;
        }
        ByteBuffer buffer = (ByteBuffer) message;
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            send(session, answers, connection.isOver());
        } else if (connection.isOver()) {
            session.close();
        }
    }

    @Override
    public void exceptionCaught(IoSession session, Throwable cause) {
        session.close();
    }

    private static void send(IoSession session, byte[] answers, boolean thenClose) {
        ByteBuffer buffer = ByteBuffer.wrap(answers);
        if (thenClose) {
            // Closing at once would cut off what is not yet written.
            session.write(buffer).addListener(IoFutureListener.CLOSE);
        } else {
            session.write(buffer);
        }
    }
}

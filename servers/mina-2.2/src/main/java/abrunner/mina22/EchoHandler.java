package abrunner.mina22;

import abrunner.harness.EchoConnection;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.AttributeKey;
import org.apache.mina.core.session.IoSession;

/** Answers each request with its own head. */
final class EchoHandler extends IoHandlerAdapter {
    private static final AttributeKey CONNECTION = new AttributeKey(EchoHandler.class, "connection");

    @Override
    public void sessionCreated(IoSession session) {
        session.setAttribute(CONNECTION, new EchoConnection());
    }

    @Override
    public void messageReceived(IoSession session, Object message) {
        EchoConnection connection = (EchoConnection) session.getAttribute(CONNECTION);
        if (connection.isOver()) {
            return;
        }
        IoBuffer buffer = (IoBuffer) message;
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            session.write(IoBuffer.wrap(answers));
        }
        if (connection.isOver()) {
            session.closeOnFlush();
        }
    }

    @Override
    public void exceptionCaught(IoSession session, Throwable cause) {
        session.closeNow();
    }
}

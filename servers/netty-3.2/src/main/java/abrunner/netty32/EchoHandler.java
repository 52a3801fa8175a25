package abrunner.netty32;

import abrunner.harness.EchoConnection;
import org.jboss.netty.buffer.ChannelBuffer;
import org.jboss.netty.buffer.ChannelBuffers;
import org.jboss.netty.channel.ChannelFuture;
import org.jboss.netty.channel.ChannelFutureListener;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.ExceptionEvent;
import org.jboss.netty.channel.MessageEvent;
import org.jboss.netty.channel.SimpleChannelUpstreamHandler;

/** Answers each request of a connection with its own head, which it finds in the bytes. */
final class EchoHandler extends SimpleChannelUpstreamHandler {
    private final EchoConnection connection = new EchoConnection();

    @Override
    public void messageReceived(ChannelHandlerContext context, MessageEvent event) {
        if (connection.isOver()) {
            return;
        }
        ChannelBuffer received = (ChannelBuffer) event.getMessage();
        byte[] bytes = new byte[received.readableBytes()];
        received.readBytes(bytes);
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        ChannelFuture written = event.getChannel().write(ChannelBuffers.wrappedBuffer(answers));
        if (connection.isOver()) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, ExceptionEvent event) {
        event.getChannel().close();
    }
}

package abrunner.netty40;

import abrunner.harness.EchoConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Answers each request of a connection with its own head, which it finds in the bytes. */
final class EchoHandler extends ChannelInboundHandlerAdapter {
    private final EchoConnection connection = new EchoConnection();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        try {
            if (!connection.isOver()) {
                byte[] bytes = new byte[received.readableBytes()];
                received.readBytes(bytes);
                answer(context, bytes);
            }
        } finally {
            received.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private void answer(ChannelHandlerContext context, byte[] bytes) {
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        ChannelFuture written = context.write(context.alloc().buffer(answers.length).writeBytes(answers));
        if (connection.isOver()) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }
}

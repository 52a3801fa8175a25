package abrunner.netty32;

import abrunner.harness.EchoStart;
import abrunner.harness.FileCache;
import abrunner.harness.RequestHeadReader;
import org.jboss.netty.buffer.ChannelBuffer;
import org.jboss.netty.channel.Channel;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.ChannelPipeline;
import org.jboss.netty.handler.codec.frame.FrameDecoder;
import org.jboss.netty.handler.codec.http.HttpRequestDecoder;
import org.jboss.netty.handler.codec.http.HttpResponseEncoder;

/**
 * Looks at the first bytes of a connection and leaves it to the handlers that serve it: an echo needs no HTTP codec.
 * As in Netty's own example of port unification.
 */
final class FirstBytes extends FrameDecoder {
    private static final int MAX_LINE = 4096;
    private static final int MAX_CHUNK = 8192;

    private final FileCache files;

    FirstBytes(FileCache files) {
        this.files = files;
    }

    @Override
    protected Object decode(ChannelHandlerContext context, Channel channel, ChannelBuffer buffer) {
        ChannelPipeline pipeline = context.getPipeline();
        int count = buffer.readableBytes();
        if (!EchoStart.fits(count, i -> buffer.getByte(buffer.readerIndex() + i))) {
            pipeline.addLast("decoder", new HttpRequestDecoder(MAX_LINE, RequestHeadReader.MAX_HEAD, MAX_CHUNK));
            pipeline.addLast("encoder", new HttpResponseEncoder());
            pipeline.addLast("files", new FileHandler(files));
        } else if (count >= EchoStart.LENGTH) {
            pipeline.addLast("echo", new EchoHandler());
        } else {
            return null;
        }
        pipeline.remove(this);
        return buffer.readBytes(buffer.readableBytes());
    }
}

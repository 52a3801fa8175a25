package abrunner.netty40;

import abrunner.harness.EchoStart;
import abrunner.harness.FileCache;
import abrunner.harness.RequestHeadReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.util.List;

/**
 * Looks at the first bytes of a connection and leaves it to the handlers that serve it: an echo needs no HTTP codec.
 * As in Netty's own example of port unification.
 */
final class FirstBytes extends ByteToMessageDecoder {
    private static final int MAX_LINE = 4096;
    private static final int MAX_CHUNK = 8192;

    private final FileCache files;

    FirstBytes(FileCache files) {
        this.files = files;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        ChannelPipeline pipeline = context.pipeline();
        int count = in.readableBytes();
        if (!EchoStart.fits(count, i -> in.getByte(in.readerIndex() + i))) {
            pipeline.addLast(new HttpRequestDecoder(MAX_LINE, RequestHeadReader.MAX_HEAD, MAX_CHUNK));
            pipeline.addLast(new HttpResponseEncoder(), new FileHandler(files));
            pipeline.remove(this);
        } else if (count >= EchoStart.LENGTH) {
            pipeline.addLast(new EchoHandler());
            pipeline.remove(this);
        }
    }
}

package abrunner.netty4;

import abrunner.harness.RequestHeadReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import java.util.Arrays;
import java.util.List;

/**
 * Netty's decoder, which gives an {@link EchoRequest} in place of each request: a decoded one no longer knows the
 * bytes that it was made of.
 */
final class EchoRequestDecoder extends HttpRequestDecoder {
    private static final byte[] NOTHING = {};

    /** What Netty has taken of a head that is not yet complete. */
    private byte[] taken = NOTHING;

    EchoRequestDecoder() {
        super(DEFAULT_MAX_INITIAL_LINE_LENGTH, RequestHeadReader.MAX_HEAD, DEFAULT_MAX_CHUNK_SIZE);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int start = in.readerIndex();
        int index = out.size();
        super.decode(context, in, out);
        if (index == out.size()) {
            taken = with(in, start);
        } else if (out.get(index) instanceof HttpRequest) {
            HttpRequest request = (HttpRequest) out.get(index);
            if (request.decoderResult().isSuccess()) {
                out.set(index, new EchoRequest(with(in, start), HttpUtil.isKeepAlive(request)));
            }
            taken = NOTHING;
        }
    }

    /** What was taken before, and what has been taken since. */
    private byte[] with(ByteBuf in, int start) {
        byte[] now = ByteBufUtil.getBytes(in, start, in.readerIndex() - start);
        if (taken.length == 0) {
            return now;
        }
        byte[] both = Arrays.copyOf(taken, taken.length + now.length);
        System.arraycopy(now, 0, both, taken.length, now.length);
        return both;
    }
}

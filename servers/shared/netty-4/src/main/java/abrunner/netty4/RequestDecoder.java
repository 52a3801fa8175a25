package abrunner.netty4;

import abrunner.harness.RequestHeadReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import java.util.Arrays;
import java.util.List;

/**
 * Netty's decoder, which gives an {@link EchoRequest} in place of a request for /echo: a decoded request no longer
 * knows the bytes that it was made of.
 */
final class RequestDecoder extends HttpRequestDecoder {
    private static final String ECHO = "/echo";
    private static final int MAX_LINE = 4096;
    private static final int MAX_CHUNK = 8192;
    private static final byte[] NOTHING = {};

    /** What Netty has taken of a head that is not yet complete. */
    private byte[] taken = NOTHING;

    RequestDecoder() {
        super(MAX_LINE, RequestHeadReader.MAX_HEAD, MAX_CHUNK);
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
            if (isEcho(request)) {
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

    private static boolean isEcho(HttpRequest request) {
        return request.decoderResult().isSuccess() && request.method().equals(HttpMethod.GET)
                && request.uri().equals(ECHO);
    }
}

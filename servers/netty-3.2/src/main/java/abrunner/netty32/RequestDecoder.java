package abrunner.netty32;

import abrunner.harness.RequestHeadReader;
import java.io.ByteArrayOutputStream;
import org.jboss.netty.buffer.ChannelBuffer;
import org.jboss.netty.channel.Channel;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.handler.codec.http.HttpHeaders;
import org.jboss.netty.handler.codec.http.HttpMethod;
import org.jboss.netty.handler.codec.http.HttpRequest;
import org.jboss.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Netty's decoder, which gives an {@link EchoRequest} in place of a request for /echo: a decoded request no longer
 * knows the bytes that it was made of.
 */
final class RequestDecoder extends HttpRequestDecoder {
    private static final String ECHO = "/echo";
    private static final int MAX_LINE = 4096;
    private static final int MAX_CHUNK = 8192;

    /** What Netty has taken for good of a head that is not yet complete, and where in its buffer that ended. */
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream(256);
    private int end;

    RequestDecoder() {
        super(MAX_LINE, RequestHeadReader.MAX_HEAD, MAX_CHUNK);
    }

    @Override
    protected Object decode(ChannelHandlerContext context, Channel channel, ChannelBuffer buffer, State state)
            throws Exception {
        // Between two calls Netty throws away what is taken, and moves the rest.
        end = buffer.readerIndex();
        Object message = super.decode(context, channel, buffer, state);
        if (message instanceof HttpRequest) {
            HttpRequest request = (HttpRequest) message;
            if (request.getMethod().equals(HttpMethod.GET) && request.getUri().equals(ECHO)) {
                message = new EchoRequest(taken.toByteArray(), HttpHeaders.isKeepAlive(request));
            }
            taken.reset();
        }
        return message;
    }

    /** Netty goes back to the last of these points when a call of decode found too few bytes. */
    @Override
    protected void checkpoint(State state) {
        super.checkpoint(state);
        ChannelBuffer buffer = internalBuffer();
        int now = buffer.readerIndex();
        byte[] bytes = new byte[now - end];
        buffer.getBytes(end, bytes);
        taken.write(bytes, 0, bytes.length);
        end = now;
    }
}

package abrunner.netty4;

import abrunner.harness.HttpDate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/** What all have in common that answer the requests of one connection by Netty's HTTP codec. */
abstract class HttpHandler extends ChannelInboundHandlerAdapter {
    /** All fields are written here, and valid. */
    static final HttpHeadersFactory FIELDS = DefaultHttpHeadersFactory.headersFactory().withValidation(false);

    /** Whether the last answer has been given. */
    private boolean over;

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) throws IOException {
        try {
            if (!over) {
                take(context, message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    /** Answers what the codec made of a request's head; takes no notice of its other messages. */
    abstract void take(ChannelHandlerContext context, Object message) throws IOException;

    /** Answers with plain text. */
    final void write(ChannelHandlerContext context, HttpResponseStatus status, byte[] body, boolean keepAlive) {
        HttpResponse response = full(status, Unpooled.wrappedBuffer(body));
        setFields(response, HttpHeaderValues.TEXT_PLAIN, body.length, keepAlive);
        endWith(context.write(response), keepAlive);
    }

    final void endWith(ChannelFuture written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    static HttpResponse full(HttpResponseStatus status, ByteBuf content) {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content, FIELDS, FIELDS);
    }

    static void setFields(HttpResponse response, CharSequence type, long length, boolean keepAlive) {
        response.headers().set(HttpHeaderNames.DATE, HttpDate.now());
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        response.headers().set(HttpHeaderNames.CONNECTION,
                keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
    }
}

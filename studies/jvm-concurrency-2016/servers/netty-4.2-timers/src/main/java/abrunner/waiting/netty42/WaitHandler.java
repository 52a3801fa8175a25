package abrunner.waiting.netty42;

import abrunner.waiting.Wait;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Date;
import java.util.concurrent.TimeUnit;

/** Answers the requests of one connection. It is for clients that wait for an answer before they ask again. */
final class WaitHandler extends SimpleChannelInboundHandler<HttpObject> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message instanceof HttpRequest request) {
            answer(context, request.uri(), HttpUtil.isKeepAlive(request));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private static void answer(ChannelHandlerContext context, String uri, boolean keepAlive) {
        int mark = uri.indexOf('?');
        int millis = mark < 0 ? Wait.INVALID : Wait.millis(uri.substring(mark + 1));
        if (!uri.substring(0, mark < 0 ? uri.length() : mark).equals(Wait.PATH)) {
            send(context, HttpResponseStatus.NOT_FOUND, Unpooled.EMPTY_BUFFER, keepAlive);
        } else if (millis == Wait.INVALID) {
            send(context, HttpResponseStatus.BAD_REQUEST, Unpooled.EMPTY_BUFFER, keepAlive);
        } else if (millis == 0) {
            sendText(context, keepAlive);
        } else {
            context.executor().schedule(() -> sendText(context, keepAlive), millis, TimeUnit.MILLISECONDS);
        }
    }

    private static void sendText(ChannelHandlerContext context, boolean keepAlive) {
        send(context, HttpResponseStatus.OK, Unpooled.wrappedBuffer(Wait.bytes()), keepAlive);
    }

    private static void send(ChannelHandlerContext context, HttpResponseStatus status, ByteBuf body, boolean keepAlive) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        // All others say it too.
        response.headers().set(HttpHeaderNames.DATE, DateFormatter.format(new Date()));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, Wait.CONTENT_TYPE);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        HttpUtil.setKeepAlive(response, keepAlive);
        ChannelFuture sent = context.writeAndFlush(response);
        if (!keepAlive) {
            sent.addListener(ChannelFutureListener.CLOSE);
        }
    }
}

package abrunner.fibers.netty42;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Answers the requests of one connection, whose client waits for each answer before it asks again. */
final class RequestHandler extends SimpleChannelInboundHandler<HttpObject> {
    private final Client client;

    RequestHandler(Client client) {
        this.client = client;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        // What follows it is the end of a request without a body.
        if (message instanceof HttpRequest) {
            answer(context, (HttpRequest) message);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Whoever asked does not wait any more.
        context.close();
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        if (!request.decoderResult().isSuccess()) {
            write(context, HttpResponseStatus.BAD_REQUEST, new byte[0], false);
            return;
        }
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        int millis;
        try {
            millis = Sleep.millis(Sleep.find(uri.rawQuery()));
        } catch (Sleep.InvalidSleep invalid) {
            write(context, Answer.INVALID_SLEEP, keepAlive);
            return;
        }
        if (uri.path().equals("/service")) {
            CompletableFuture<Void> services = client.call(context.channel().eventLoop(), Sleep.A_MILLIS);
            if (millis > 0) {
                services = services.thenCompose(a -> client.call(context.channel().eventLoop(), millis));
            }
            services.whenComplete((done, failure) ->
                    write(context, failure == null ? Answer.OK : Answer.FAILED, keepAlive));
        } else if (uri.path().equals("/internal")) {
            context.executor().schedule(() -> write(context, Answer.OK, keepAlive), millis, TimeUnit.MILLISECONDS);
        } else {
            write(context, HttpResponseStatus.NOT_FOUND, new byte[0], keepAlive);
        }
    }

    private static void write(ChannelHandlerContext context, Answer answer, boolean keepAlive) {
        write(context, HttpResponseStatus.valueOf(answer.status()), answer.body(), keepAlive);
    }

    private static void write(ChannelHandlerContext context, HttpResponseStatus status, byte[] body, boolean keepAlive) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, Answer.CONTENT_TYPE);
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        HttpUtil.setKeepAlive(response, keepAlive);
        context.writeAndFlush(response)
                .addListener(keepAlive ? ChannelFutureListener.CLOSE_ON_FAILURE : ChannelFutureListener.CLOSE);
    }
}

package abrunner.fibers.netty42;

import abrunner.fibers.Answer;
import abrunner.fibers.Service;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.pool.ChannelPool;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Makes one call at a time on a connection of the client. */
final class CallHandler extends SimpleChannelInboundHandler<HttpObject> {
    private final String host;

    private ChannelHandlerContext context;
    private ChannelPool pool;
    private CompletableFuture<Void> outcome;
    private Future<?> timeout;
    private int status;

    CallHandler(String host) {
        this.host = host;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
    }

    /** Has to be called on the connection's event loop. */
    void call(ChannelPool pool, int millis, CompletableFuture<Void> outcome) {
        this.pool = pool;
        this.outcome = outcome;
        timeout = context.executor().schedule(
                () -> fail(new IOException("no answer in time")), Service.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/internal?sleep=" + millis);
        request.headers().set(HttpHeaderNames.HOST, host);
        context.writeAndFlush(request).addListener(written -> {
            if (!written.isSuccess()) {
                fail(written.cause());
            }
        });
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message instanceof HttpResponse) {
            status = ((HttpResponse) message).status().code();
        }
        if (message instanceof LastHttpContent && outcome != null) {
            CompletableFuture<Void> answered = end();
            // First, so that the next call finds it.
            pool.release(context.channel());
            if (status == Answer.OK.status()) {
                answered.complete(null);
            } else {
                answered.completeExceptionally(new IOException("status " + status));
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(new IOException("closed without an answer"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
    }

    /** Ends the call, if there is one, and the connection. */
    private void fail(Throwable cause) {
        context.close();
        if (outcome != null) {
            CompletableFuture<Void> failed = end();
            // Of a closed connection the pool only lets go.
            pool.release(context.channel());
            failed.completeExceptionally(cause);
        }
    }

    private CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = outcome;
        outcome = null;
        timeout.cancel(false);
        return ended;
    }
}

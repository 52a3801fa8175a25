package abrunner.netty4;

import abrunner.harness.Docroot;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Answers the requests of one connection: /echo with the request's own head, all others with files. */
final class RequestHandler extends ChannelInboundHandlerAdapter {
    private final Docroot docroot;
    /** Whether the last answer has been given. */
    private boolean over;

    RequestHandler(Docroot docroot) {
        this.docroot = docroot;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
        try {
            if (over) {
                return;
            }
            if (message instanceof EchoRequest) {
                echo(context, (EchoRequest) message);
            } else if (message instanceof HttpRequest) {
                answer(context, (HttpRequest) message);
            }
        } finally {
            ReferenceCountUtil.release(message);
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

    private void echo(ChannelHandlerContext context, EchoRequest request) {
        write(context, full(HttpResponseStatus.OK, request.head()), request.keepsAlive());
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) throws IOException {
        if (!request.decoderResult().isSuccess()) {
            write(context, full(HttpResponseStatus.BAD_REQUEST, new byte[0]), false);
            return;
        }
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        if (!isHead && !request.method().equals(HttpMethod.GET)) {
            // Its body is not read.
            write(context, full(HttpResponseStatus.METHOD_NOT_ALLOWED, new byte[0]), false);
            return;
        }
        Path file = docroot.find(request.uri());
        if (file == null) {
            write(context, full(HttpResponseStatus.NOT_FOUND, new byte[0]), HttpUtil.isKeepAlive(request));
        } else {
            send(context, file, isHead, HttpUtil.isKeepAlive(request));
        }
    }

    private void send(ChannelHandlerContext context, Path file, boolean isHead, boolean keepAlive) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        // Closes the file when it is released, as Netty does with all that it has written.
        DefaultFileRegion region = new DefaultFileRegion(channel, 0, channel.size());
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, Docroot.contentType(file));
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, region.count());
        setConnection(response, keepAlive);
        context.write(response);
        if (isHead) {
            region.release();
        } else {
            context.write(region);
        }
        endWith(context.write(LastHttpContent.EMPTY_LAST_CONTENT), keepAlive);
    }

    private void write(ChannelHandlerContext context, HttpResponse response, boolean keepAlive) {
        setConnection(response, keepAlive);
        endWith(context.write(response), keepAlive);
    }

    private void endWith(ChannelFuture written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static HttpResponse full(HttpResponseStatus status, byte[] body) {
        ByteBuf content = Unpooled.wrappedBuffer(body);
        HttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return response;
    }

    private static void setConnection(HttpResponse response, boolean keepAlive) {
        response.headers().set(HttpHeaderNames.CONNECTION,
                keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
    }
}

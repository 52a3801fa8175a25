package abrunner.netty40;

import abrunner.harness.FileCache;
import abrunner.harness.HttpDate;
import abrunner.harness.ServedFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/** Answers the requests of one connection with files. */
final class FileHandler extends ChannelInboundHandlerAdapter {
    /** All fields are written here, and valid. */
    private static final boolean WITHOUT_VALIDATION = false;

    private final FileCache files;
    /** Whether the last answer has been given. */
    private boolean over;

    FileHandler(FileCache files) {
        this.files = files;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
        try {
            if (!over && message instanceof HttpRequest) {
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

    private void answer(ChannelHandlerContext context, HttpRequest request) throws IOException {
        if (!request.getDecoderResult().isSuccess()) {
            write(context, HttpResponseStatus.BAD_REQUEST, false);
            return;
        }
        boolean isHead = request.getMethod().equals(HttpMethod.HEAD);
        if (!isHead && !request.getMethod().equals(HttpMethod.GET)) {
            // Its body is not read.
            write(context, HttpResponseStatus.METHOD_NOT_ALLOWED, false);
            return;
        }
        boolean keepAlive = HttpHeaders.isKeepAlive(request);
        ServedFile file = files.find(request.getUri());
        if (file == null) {
            write(context, HttpResponseStatus.NOT_FOUND, keepAlive);
        } else {
            send(context, file, isHead, keepAlive);
        }
    }

    private void send(ChannelHandlerContext context, ServedFile file, boolean isHead, boolean keepAlive)
            throws IOException {
        if (isHead || file.content() != null) {
            HttpResponse response =
                    full(HttpResponseStatus.OK, isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(file.content()));
            setFields(response, file, keepAlive);
            endWith(context.write(response), keepAlive);
        } else {
            // Closes the file when it is released, as Netty does with all that it has written.
            DefaultFileRegion region = new DefaultFileRegion(file.open(), 0, file.length());
            HttpResponse response =
                    new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, WITHOUT_VALIDATION);
            setFields(response, file, keepAlive);
            context.write(response);
            context.write(region);
            endWith(context.write(LastHttpContent.EMPTY_LAST_CONTENT), keepAlive);
        }
    }

    /** Answers without a body. */
    private void write(ChannelHandlerContext context, HttpResponseStatus status, boolean keepAlive) {
        HttpResponse response = full(status, Unpooled.EMPTY_BUFFER);
        setFields(response, "text/plain", 0, keepAlive);
        endWith(context.write(response), keepAlive);
    }

    private void endWith(ChannelFuture written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static HttpResponse full(HttpResponseStatus status, ByteBuf content) {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content, WITHOUT_VALIDATION);
    }

    private static void setFields(HttpResponse response, ServedFile file, boolean keepAlive) {
        setFields(response, file.contentType(), file.length(), keepAlive);
        response.headers().set(HttpHeaders.Names.LAST_MODIFIED, file.lastModified());
    }

    private static void setFields(HttpResponse response, String type, long length, boolean keepAlive) {
        response.headers().set(HttpHeaders.Names.DATE, HttpDate.now());
        response.headers().set(HttpHeaders.Names.CONTENT_TYPE, type);
        response.headers().set(HttpHeaders.Names.CONTENT_LENGTH, length);
        response.headers().set(HttpHeaders.Names.CONNECTION,
                keepAlive ? HttpHeaders.Values.KEEP_ALIVE : HttpHeaders.Values.CLOSE);
    }
}

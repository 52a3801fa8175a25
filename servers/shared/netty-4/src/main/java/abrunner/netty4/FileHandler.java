package abrunner.netty4;

import abrunner.harness.FileCache;
import abrunner.harness.ServedFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;

/** Answers the requests of one connection with files. */
final class FileHandler extends HttpHandler {
    private static final byte[] NOTHING = {};

    private final FileCache files;

    FileHandler(FileCache files) {
        this.files = files;
    }

    @Override
    void take(ChannelHandlerContext context, Object message) throws IOException {
        if (message instanceof HttpRequest) {
            answer(context, (HttpRequest) message);
        }
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) throws IOException {
        if (!request.decoderResult().isSuccess()) {
            write(context, HttpResponseStatus.BAD_REQUEST, NOTHING, false);
            return;
        }
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        if (!isHead && !request.method().equals(HttpMethod.GET)) {
            // Its body is not read.
            write(context, HttpResponseStatus.METHOD_NOT_ALLOWED, NOTHING, false);
            return;
        }
        ServedFile file = files.find(request.uri());
        if (file == null) {
            write(context, HttpResponseStatus.NOT_FOUND, NOTHING, HttpUtil.isKeepAlive(request));
        } else {
            send(context, file, isHead, HttpUtil.isKeepAlive(request));
        }
    }

    private void send(ChannelHandlerContext context, ServedFile file, boolean isHead, boolean keepAlive)
            throws IOException {
        if (isHead || file.content() != null) {
            ByteBuf content = isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(file.content());
            HttpResponse response = full(HttpResponseStatus.OK, content);
            setFields(response, file, keepAlive);
            endWith(context.write(response), keepAlive);
        } else {
            // Closes the file when it is released, as Netty does with all that it has written.
            DefaultFileRegion region = new DefaultFileRegion(file.open(), 0, file.length());
            HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, FIELDS);
            setFields(response, file, keepAlive);
            context.write(response);
            context.write(region);
            endWith(context.write(LastHttpContent.EMPTY_LAST_CONTENT), keepAlive);
        }
    }

    private static void setFields(HttpResponse response, ServedFile file, boolean keepAlive) {
        setFields(response, file.contentType(), file.length(), keepAlive);
        response.headers().set(HttpHeaderNames.LAST_MODIFIED, file.lastModified());
    }
}

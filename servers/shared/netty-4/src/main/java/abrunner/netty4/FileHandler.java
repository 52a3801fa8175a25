package abrunner.netty4;

import abrunner.harness.Docroot;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Answers the requests of one connection with files. */
final class FileHandler extends HttpHandler {
    private static final byte[] NOTHING = {};

    private final Docroot docroot;

    FileHandler(Docroot docroot) {
        this.docroot = docroot;
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
        Path file = docroot.find(request.uri());
        if (file == null) {
            write(context, HttpResponseStatus.NOT_FOUND, NOTHING, HttpUtil.isKeepAlive(request));
        } else {
            send(context, file, isHead, HttpUtil.isKeepAlive(request));
        }
    }

    private void send(ChannelHandlerContext context, Path file, boolean isHead, boolean keepAlive) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        // Closes the file when it is released, as Netty does with all that it has written.
        DefaultFileRegion region = new DefaultFileRegion(channel, 0, channel.size());
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        setFields(response, Docroot.contentType(file), region.count(), keepAlive);
        context.write(response);
        if (isHead) {
            region.release();
        } else {
            context.write(region);
        }
        endWith(context.write(LastHttpContent.EMPTY_LAST_CONTENT), keepAlive);
    }
}

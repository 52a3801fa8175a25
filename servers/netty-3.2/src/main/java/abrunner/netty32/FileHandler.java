package abrunner.netty32;

import abrunner.harness.FileCache;
import abrunner.harness.HttpDate;
import abrunner.harness.ServedFile;
import java.io.IOException;
import org.jboss.netty.buffer.ChannelBuffers;
import org.jboss.netty.channel.Channel;
import org.jboss.netty.channel.ChannelFuture;
import org.jboss.netty.channel.ChannelFutureListener;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.DefaultFileRegion;
import org.jboss.netty.channel.ExceptionEvent;
import org.jboss.netty.channel.FileRegion;
import org.jboss.netty.channel.MessageEvent;
import org.jboss.netty.channel.SimpleChannelUpstreamHandler;
import org.jboss.netty.handler.codec.http.DefaultHttpResponse;
import org.jboss.netty.handler.codec.http.HttpHeaders;
import org.jboss.netty.handler.codec.http.HttpMethod;
import org.jboss.netty.handler.codec.http.HttpRequest;
import org.jboss.netty.handler.codec.http.HttpResponse;
import org.jboss.netty.handler.codec.http.HttpResponseStatus;
import org.jboss.netty.handler.codec.http.HttpVersion;

/** Answers the requests of one connection with files. */
final class FileHandler extends SimpleChannelUpstreamHandler {
    private final FileCache files;
    /** Whether the last answer has been given. */
    private boolean over;

    FileHandler(FileCache files) {
        this.files = files;
    }

    @Override
    public void messageReceived(ChannelHandlerContext context, MessageEvent event) throws IOException {
        if (!over && event.getMessage() instanceof HttpRequest) {
            answer(event.getChannel(), (HttpRequest) event.getMessage());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, ExceptionEvent event) {
        event.getChannel().close();
    }

    private void answer(Channel connection, HttpRequest request) throws IOException {
        boolean isHead = request.getMethod().equals(HttpMethod.HEAD);
        if (!isHead && !request.getMethod().equals(HttpMethod.GET)) {
            // Its body is not read.
            write(connection, HttpResponseStatus.METHOD_NOT_ALLOWED, false);
            return;
        }
        boolean keepAlive = HttpHeaders.isKeepAlive(request);
        ServedFile file = files.find(request.getUri());
        if (file == null) {
            write(connection, HttpResponseStatus.NOT_FOUND, keepAlive);
        } else {
            send(connection, file, isHead, keepAlive);
        }
    }

    private void send(Channel connection, ServedFile file, boolean isHead, boolean keepAlive) throws IOException {
        HttpResponse response = response(HttpResponseStatus.OK, file.contentType(), file.length(), keepAlive);
        response.setHeader(HttpHeaders.Names.LAST_MODIFIED, file.lastModified());
        if (isHead) {
            endWith(connection.write(response), keepAlive);
        } else if (file.content() != null) {
            response.setContent(ChannelBuffers.wrappedBuffer(file.content()));
            endWith(connection.write(response), keepAlive);
        } else {
            FileRegion region = new DefaultFileRegion(file.open(), 0, file.length());
            connection.write(response);
            ChannelFuture last = connection.write(region);
            last.addListener(written -> region.releaseExternalResources());
            endWith(last, keepAlive);
        }
    }

    /** Answers without a body. */
    private void write(Channel connection, HttpResponseStatus status, boolean keepAlive) {
        endWith(connection.write(response(status, "text/plain", 0, keepAlive)), keepAlive);
    }

    private void endWith(ChannelFuture written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static HttpResponse response(HttpResponseStatus status, String type, long length, boolean keepAlive) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        response.setHeader(HttpHeaders.Names.DATE, HttpDate.now());
        response.setHeader(HttpHeaders.Names.CONTENT_TYPE, type);
        response.setHeader(HttpHeaders.Names.CONTENT_LENGTH, length);
        response.setHeader(HttpHeaders.Names.CONNECTION,
                keepAlive ? HttpHeaders.Values.KEEP_ALIVE : HttpHeaders.Values.CLOSE);
        return response;
    }
}

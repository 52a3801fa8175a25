package abrunner.netty32;

import abrunner.harness.Docroot;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

/** Answers the requests of one connection: /echo with the request's own head, all others with files. */
final class RequestHandler extends SimpleChannelUpstreamHandler {
    private static final String TEXT = "text/plain";

    private final Docroot docroot;
    /** Whether the last answer has been given. */
    private boolean over;

    RequestHandler(Docroot docroot) {
        this.docroot = docroot;
    }

    @Override
    public void messageReceived(ChannelHandlerContext context, MessageEvent event) throws IOException {
        if (over) {
            return;
        }
        if (event.getMessage() instanceof EchoRequest) {
            EchoRequest request = (EchoRequest) event.getMessage();
            write(event.getChannel(), HttpResponseStatus.OK, request.head(), request.keepsAlive());
        } else if (event.getMessage() instanceof HttpRequest) {
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
            write(connection, HttpResponseStatus.METHOD_NOT_ALLOWED, new byte[0], false);
            return;
        }
        Path file = docroot.find(request.getUri());
        if (file == null) {
            write(connection, HttpResponseStatus.NOT_FOUND, new byte[0], HttpHeaders.isKeepAlive(request));
        } else {
            send(connection, file, isHead, HttpHeaders.isKeepAlive(request));
        }
    }

    private void send(Channel connection, Path file, boolean isHead, boolean keepAlive) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        FileRegion region = new DefaultFileRegion(channel, 0, channel.size());
        ChannelFuture head = connection.write(
                response(HttpResponseStatus.OK, Docroot.contentType(file), channel.size(), keepAlive));
        ChannelFuture last = isHead ? head : connection.write(region);
        last.addListener(written -> region.releaseExternalResources());
        endWith(last, keepAlive);
    }

    private void write(Channel connection, HttpResponseStatus status, byte[] body, boolean keepAlive) {
        HttpResponse response = response(status, TEXT, body.length, keepAlive);
        response.setContent(ChannelBuffers.wrappedBuffer(body));
        endWith(connection.write(response), keepAlive);
    }

    private void endWith(ChannelFuture written, boolean keepAlive) {
        if (!keepAlive) {
            over = true;
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static HttpResponse response(HttpResponseStatus status, String type, long length, boolean keepAlive) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        response.setHeader(HttpHeaders.Names.CONTENT_TYPE, type);
        response.setHeader(HttpHeaders.Names.CONTENT_LENGTH, length);
        response.setHeader(HttpHeaders.Names.CONNECTION,
                keepAlive ? HttpHeaders.Values.KEEP_ALIVE : HttpHeaders.Values.CLOSE);
        return response;
    }
}

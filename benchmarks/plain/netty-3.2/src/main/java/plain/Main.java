package plain;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ServerBootstrap;
import org.jboss.netty.buffer.ChannelBuffer;
import org.jboss.netty.buffer.ChannelBuffers;
import org.jboss.netty.channel.ChannelFuture;
import org.jboss.netty.channel.ChannelFutureListener;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.DefaultFileRegion;
import org.jboss.netty.channel.FileRegion;
import org.jboss.netty.channel.MessageEvent;
import org.jboss.netty.channel.SimpleChannelUpstreamHandler;
import org.jboss.netty.channel.socket.nio.NioServerSocketChannelFactory;
import org.jboss.netty.handler.codec.http.DefaultHttpResponse;
import org.jboss.netty.handler.codec.http.HttpChunkAggregator;
import org.jboss.netty.handler.codec.http.HttpHeaders;
import org.jboss.netty.handler.codec.http.HttpRequest;
import org.jboss.netty.handler.codec.http.HttpRequestDecoder;
import org.jboss.netty.handler.codec.http.HttpResponse;
import org.jboss.netty.handler.codec.http.HttpResponseEncoder;
import org.jboss.netty.handler.codec.http.HttpResponseStatus;
import org.jboss.netty.handler.codec.http.HttpVersion;

/** After org.jboss.netty.example.echo and org.jboss.netty.example.http.file of Netty 3.2. */
public final class Main {
    public static void main(String[] arguments) {
        boolean echo = "echo".equals(System.getenv("WORKLOAD"));
        ServerBootstrap bootstrap = new ServerBootstrap(new NioServerSocketChannelFactory(
                Executors.newCachedThreadPool(), Executors.newCachedThreadPool()));
        bootstrap.setPipelineFactory(() -> echo ? Channels.pipeline(new EchoHandler())
                : Channels.pipeline(new HttpRequestDecoder(), new HttpChunkAggregator(65536),
                        new HttpResponseEncoder(), new FileHandler()));
        bootstrap.setOption("backlog", 1000);
        bootstrap.setOption("child.tcpNoDelay", true);
        bootstrap.bind(new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))));
    }

    private static final class EchoHandler extends SimpleChannelUpstreamHandler {
        @Override
        public void messageReceived(ChannelHandlerContext context, MessageEvent event) {
            ChannelBuffer body = (ChannelBuffer) event.getMessage();
            String request = body.toString(StandardCharsets.ISO_8859_1);
            if (!request.endsWith("\r\n\r\n")) {
                throw new IllegalStateException("not one whole head");
            }
            boolean keepAlive = request.contains("Keep-Alive");
            String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.readableBytes()
                    + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n";
            ChannelFuture written = event.getChannel().write(
                    ChannelBuffers.wrappedBuffer(ChannelBuffers.copiedBuffer(head, StandardCharsets.US_ASCII), body));
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    private static final class FileHandler extends SimpleChannelUpstreamHandler {
        @Override
        public void messageReceived(ChannelHandlerContext context, MessageEvent event) throws IOException {
            HttpRequest request = (HttpRequest) event.getMessage();
            RandomAccessFile file = new RandomAccessFile(System.getenv("DOCROOT") + request.getUri(), "r");
            boolean keepAlive = HttpHeaders.isKeepAlive(request);
            HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            HttpHeaders.setContentLength(response, file.length());
            response.setHeader(HttpHeaders.Names.CONNECTION, keepAlive ? "keep-alive" : "close");
            event.getChannel().write(response);
            FileRegion region = new DefaultFileRegion(file.getChannel(), 0, file.length());
            ChannelFuture written = event.getChannel().write(region);
            written.addListener(future -> region.releaseExternalResources());
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }
}

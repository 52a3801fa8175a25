package plain;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/** After io.netty.example.echo and io.netty.example.http.file of netty-example 4.0.56. */
public final class Main {
    public static void main(String[] arguments) throws InterruptedException {
        boolean echo = "echo".equals(System.getenv("WORKLOAD"));
        new ServerBootstrap()
                .group(new NioEventLoopGroup())
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (echo) {
                            channel.pipeline().addLast(new EchoHandler());
                        } else {
                            channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536),
                                    new FileHandler());
                        }
                    }
                })
                .bind(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT")))
                .sync();
    }

    private static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf body = (ByteBuf) message;
            String request = body.toString(StandardCharsets.ISO_8859_1);
            if (!request.endsWith("\r\n\r\n")) {
                throw new IllegalStateException("not one whole head");
            }
            boolean keepAlive = request.contains("Keep-Alive");
            context.write(Unpooled.copiedBuffer("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: " + body.readableBytes() + "\r\nConnection: "
                    + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n", StandardCharsets.US_ASCII));
            ChannelFuture written = context.writeAndFlush(body);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    private static final class FileHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
            RandomAccessFile file = new RandomAccessFile(System.getenv("DOCROOT") + request.getUri(), "r");
            boolean keepAlive = HttpHeaders.isKeepAlive(request);
            HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            HttpHeaders.setContentLength(response, file.length());
            response.headers().set(HttpHeaders.Names.CONNECTION,
                    keepAlive ? HttpHeaders.Values.KEEP_ALIVE : HttpHeaders.Values.CLOSE);
            context.write(response);
            context.write(new DefaultFileRegion(file.getChannel(), 0, file.length()));
            ChannelFuture written = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }
}

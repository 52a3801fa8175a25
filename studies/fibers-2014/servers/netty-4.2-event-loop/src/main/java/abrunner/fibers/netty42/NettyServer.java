package abrunner.fibers.netty42;

import abrunner.fibers.Services;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.NettyRuntime;
import java.net.InetSocketAddress;

/** Netty 4.2 with an event loop for each CPU, for the server and its client: nothing ever waits on a thread. */
public final class NettyServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final Client client;

    NettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        client = new Client(Services.from(settings));
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyServer::new);
    }

    @Override
    public void start() throws InterruptedException {
        EventLoopGroup eventLoops =
                new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(), NioIoHandler.newFactory());
        new ServerBootstrap()
                .group(eventLoops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection.pipeline().addLast(new HttpServerCodec(), new RequestHandler(client));
                    }
                })
                .bind(address)
                .sync();
    }
}

package abrunner.netty40;

import abrunner.harness.FileCache;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;

/** Netty 4.0 on the JDK's NIO, with an event loop for each CPU. */
public final class NettyServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final FileCache files;

    NettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        files = new FileCache(settings);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyServer::new);
    }

    @Override
    public void start() throws InterruptedException {
        new ServerBootstrap()
                .group(new NioEventLoopGroup(Runtime.getRuntime().availableProcessors()))
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection.pipeline().addLast(new FirstBytes(files));
                    }
                })
                .bind(address)
                .sync();
    }
}

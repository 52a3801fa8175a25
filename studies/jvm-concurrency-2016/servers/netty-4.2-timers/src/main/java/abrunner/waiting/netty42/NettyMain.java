package abrunner.waiting.netty42;

import abrunner.waiting.Launcher;
import abrunner.waiting.Server;
import abrunner.waiting.Settings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;

/** Netty 4.2, whose event loops wait by their own timers: no thread sleeps. */
public final class NettyMain implements Server {
    private final Settings settings;
    private final int eventLoops;

    private NettyMain(Settings settings) {
        this.settings = settings;
        this.eventLoops = settings.ioThreads(Runtime.getRuntime().availableProcessors());
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        return new NettyMain(settings);
    }

    @Override
    public void start() throws InterruptedException {
        new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(eventLoops, NioIoHandler.newFactory()))
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, settings.backlog())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        connection.pipeline().addLast(new HttpServerCodec(), new WaitHandler());
                    }
                })
                .bind(settings.address())
                .sync();
    }
}

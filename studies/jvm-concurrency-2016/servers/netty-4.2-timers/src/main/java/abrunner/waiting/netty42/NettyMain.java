package abrunner.waiting.netty42;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.NettyRuntime;

/** Netty 4.2, whose event loops wait by their own timers: no thread sleeps. */
public final class NettyMain implements Server {
    private static final int MAX_THREADS = 10_000;

    private final Settings settings;
    private final int eventLoops;

    private NettyMain(Settings settings) {
        this.settings = settings;
        this.eventLoops = settings.number("IO_THREADS", NettyRuntime.availableProcessors(), 1, MAX_THREADS);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(NettyMain::server));
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

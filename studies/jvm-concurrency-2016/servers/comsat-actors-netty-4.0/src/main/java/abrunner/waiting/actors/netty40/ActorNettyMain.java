package abrunner.waiting.actors.netty40;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import co.paralleluniverse.comsat.webactors.netty.AutoWebActorHandler;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;

/** Netty 4.0 with an actor for each request. */
public final class ActorNettyMain implements Server {
    private static final int PUBLISHED_THREADS = 100;
    private static final int MAX_THREADS = 10_000;
    private static final int MAX_REQUEST_BYTES = 65_536;

    private final Settings settings;
    private final int threads;

    private ActorNettyMain(Settings settings) {
        this.settings = settings;
        this.threads = settings.number("IO_THREADS", PUBLISHED_THREADS, 1, MAX_THREADS);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(ActorNettyMain::new));
    }

    @Override
    public void start() throws InterruptedException {
        new ServerBootstrap()
                .group(new NioEventLoopGroup(threads))
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, settings.backlog())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        connection.pipeline().addLast(new HttpRequestDecoder(), new HttpResponseEncoder(),
                                new HttpObjectAggregator(MAX_REQUEST_BYTES), new AutoWebActorHandler());
                    }
                })
                .bind(settings.address())
                .sync();
    }
}

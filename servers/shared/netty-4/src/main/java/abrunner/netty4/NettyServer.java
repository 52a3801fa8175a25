package abrunner.netty4;

import abrunner.harness.FileCache;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.net.InetSocketAddress;

/** What listens and answers is the same in all Netty 4 servers; each chooses a transport. */
public final class NettyServer implements Server {
    /** What finds the head that an echo gives back. */
    private enum Echo {
        /** A handler that looks for its end. */
        BYTES,
        /** Netty's HTTP codec, and nothing but echoes is served. */
        HTTP
    }

    private final InetSocketAddress address;
    private final int backlog;
    private final Echo echo;
    private final FileCache files;
    private final EventLoopGroup eventLoops;
    private final Class<? extends ServerChannel> channel;

    /** Takes the event loops that accept and serve connections, and the transport that they are for. */
    public NettyServer(Settings settings, EventLoopGroup eventLoops, Transport transport) {
        this(settings, eventLoops, transport.channel());
    }

    /** Takes what listens by the transport that the event loops are for. */
    public NettyServer(Settings settings, EventLoopGroup eventLoops, Class<? extends ServerChannel> channel) {
        address = settings.address();
        backlog = settings.backlog();
        echo = settings.choice("ECHO", Echo.BYTES);
        files = new FileCache(settings);
        this.eventLoops = eventLoops;
        this.channel = channel;
    }

    @Override
    public void start() throws InterruptedException {
        new ServerBootstrap()
                .group(eventLoops)
                .channel(channel)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        addHandlers(connection.pipeline());
                    }
                })
                .bind(address)
                .sync();
    }

    private void addHandlers(ChannelPipeline pipeline) {
        if (echo == Echo.HTTP) {
            pipeline.addLast(new EchoRequestDecoder(), new HttpResponseEncoder(), new HttpEchoHandler());
        } else {
            pipeline.addLast(new FirstBytes(files));
        }
    }
}

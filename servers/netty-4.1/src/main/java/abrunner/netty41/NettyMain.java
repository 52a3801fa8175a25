package abrunner.netty41;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.netty4.NettyServer;
import abrunner.netty4.Transport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.NettyRuntime;

/** Netty 4.1 on one of its transports, with an event loop for each CPU. */
public final class NettyMain {
    private NettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        Transport transport = Transport.of(settings);
        int count = NettyRuntime.availableProcessors();
        EventLoopGroup eventLoops =
                transport == Transport.EPOLL ? new EpollEventLoopGroup(count) : new NioEventLoopGroup(count);
        return new NettyServer(settings, eventLoops, transport);
    }
}

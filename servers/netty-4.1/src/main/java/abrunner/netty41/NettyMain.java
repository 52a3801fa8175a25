package abrunner.netty41;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.netty4.NettyServer;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.NettyRuntime;

/** Netty 4.1 on one of its transports, with an event loop for each CPU. */
public final class NettyMain {
    /** How it talks to the operating system. */
    private enum Transport {
        /** By the JDK. */
        NIO,
        /** By Netty's native library. */
        EPOLL
    }

    private static final int LOOPS = NettyRuntime.availableProcessors();

    private NettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        if (settings.choice("TRANSPORT", Transport.NIO) == Transport.NIO) {
            return new NettyServer(settings, new NioEventLoopGroup(LOOPS), NioServerSocketChannel.class);
        }
        if (!Epoll.isAvailable()) {
            throw new InvalidSetting("TRANSPORT=epoll needs Linux on x86-64, and Netty's library where Java finds it: "
                    + Epoll.unavailabilityCause());
        }
        return new NettyServer(settings, new EpollEventLoopGroup(LOOPS), EpollServerSocketChannel.class);
    }
}

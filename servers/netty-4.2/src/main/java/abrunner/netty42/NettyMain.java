package abrunner.netty42;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.netty4.NettyServer;
import abrunner.netty4.Transport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.util.NettyRuntime;

/** Netty 4.2 on one of its transports, with an event loop for each CPU. */
public final class NettyMain {
    /** All its transports: those of {@link Transport}, which Netty 4.1 has too, and its own. */
    private enum Transports { NIO, EPOLL, IO_URING }

    private NettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        if (settings.choice("TRANSPORT", Transports.NIO) == Transports.IO_URING) {
            return onIoUring(settings);
        }
        Transport transport = Transport.of(settings);
        return new NettyServer(settings, eventLoops(
                transport == Transport.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory()), transport);
    }

    private static Server onIoUring(Settings settings) {
        if (!IoUring.isAvailable()) {
            throw new InvalidSetting("TRANSPORT=io_uring needs Linux on x86-64, where io_uring is allowed, which it is "
                    + "not in Docker, Java 9 or newer, and Netty's library where Java finds it: "
                    + IoUring.unavailabilityCause());
        }
        return new NettyServer(
                settings, eventLoops(IoUringIoHandler.newFactory()), IoUringServerSocketChannel.class);
    }

    private static EventLoopGroup eventLoops(IoHandlerFactory io) {
        return new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(), io);
    }
}

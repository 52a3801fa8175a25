package abrunner.netty42;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.netty4.NettyServer;
import abrunner.netty4.Transport;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.NettyRuntime;

/** Netty 4.2 on one of its transports, with an event loop for each CPU. */
public final class NettyMain {
    private NettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        Transport transport = Transport.of(settings);
        IoHandlerFactory io = transport == Transport.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new NettyServer(
                settings, new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(), io), transport);
    }
}

package abrunner.netty42;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.netty4.NettyServer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.NettyRuntime;

/** Netty 4.2 on its NIO transport, with an event loop for each CPU. */
public final class NettyMain {
    private NettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(NettyMain::server);
    }

    static Server server(Settings settings) {
        return new NettyServer(settings, new MultiThreadIoEventLoopGroup(NettyRuntime.availableProcessors(),
                NioIoHandler.newFactory()), NioServerSocketChannel.class);
    }
}

package abrunner.netty32;

import abrunner.harness.FileCache;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ServerBootstrap;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.socket.nio.NioServerSocketChannelFactory;

/** Netty 3.2 with as many I/O threads as it has by itself. */
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
    public void start() {
        ServerBootstrap server = new ServerBootstrap(new NioServerSocketChannelFactory(
                Executors.newCachedThreadPool(), Executors.newCachedThreadPool()));
        server.setOption("backlog", backlog);
        server.setOption("reuseAddress", true);
        server.setOption("child.tcpNoDelay", true);
        server.setPipelineFactory(() -> Channels.pipeline(new FirstBytes(files)));
        server.bind(address);
    }
}

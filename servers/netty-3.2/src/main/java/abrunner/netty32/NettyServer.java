package abrunner.netty32;

import abrunner.harness.Docroot;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ServerBootstrap;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.socket.nio.NioServerSocketChannelFactory;
import org.jboss.netty.handler.codec.http.HttpResponseEncoder;

/** Netty 3.2 with as many I/O threads as it has by itself. */
public final class NettyServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final Docroot docroot;

    NettyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        docroot = new Docroot(settings.docroot());
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
        server.setPipelineFactory(() ->
                Channels.pipeline(new RequestDecoder(), new HttpResponseEncoder(), new RequestHandler(docroot)));
        server.bind(address);
    }
}

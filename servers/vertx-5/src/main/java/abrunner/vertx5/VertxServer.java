package abrunner.vertx5;

import abrunner.harness.EchoConnection;
import abrunner.harness.FileCache;
import abrunner.harness.Launcher;
import abrunner.harness.RequestHeadReader;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;

/** Vert.x 5 with a verticle for each CPU: files by its HTTP server, or echoes by its net server. */
public final class VertxServer implements Server {
    /** Which of its servers listens. */
    private enum Api {
        HTTP, NET
    }

    private final InetSocketAddress address;
    private final int backlog;
    private final FileHandler files;
    private final Api api;

    VertxServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        files = new FileHandler(new FileCache(settings));
        api = settings.choice("API", Api.HTTP);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(VertxServer::new);
    }

    @Override
    public void start() throws Exception {
        // It looks for no files on the class path, and copies none.
        Vertx vertx = Vertx.vertx(new VertxOptions().setFileSystemOptions(
                new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false)));
        DeploymentOptions eachCpu = new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
        vertx.deployVerticle(() -> new Listener(), eachCpu)
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    private Future<?> listen(Vertx vertx) {
        if (api == Api.NET) {
            return vertx.createNetServer(withAddress(new NetServerOptions()))
                    .connectHandler(VertxServer::echo)
                    .listen();
        }
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        HttpServerOptions options = new HttpServerOptions().setMaxHeaderSize(RequestHeadReader.MAX_HEAD);
        return vertx.createHttpServer(withAddress(options)).requestHandler(files).listen();
    }

    private <O extends NetServerOptions> O withAddress(O options) {
        options.setHost(address.getAddress().getHostAddress())
                .setPort(address.getPort())
                .setAcceptBacklog(backlog)
                .setTcpNoDelay(true);
        return options;
    }

    private static void echo(NetSocket socket) {
        EchoConnection connection = new EchoConnection();
        socket.handler(received -> {
            byte[] bytes = received.getBytes();
            byte[] answers = connection.receive(bytes, 0, bytes.length);
            if (answers.length > 0 || connection.isOver()) {
                Future<Void> written = socket.write(Buffer.buffer(answers));
                if (connection.isOver()) {
                    written.onComplete(done -> socket.close());
                }
            }
        });
        // Of a client that is gone nobody needs to know.
        socket.exceptionHandler(gone -> socket.close());
    }

    /** Vert.x takes no verticle twice. */
    private final class Listener extends VerticleBase {
        @Override
        public Future<?> start() {
            return listen(vertx);
        }
    }
}

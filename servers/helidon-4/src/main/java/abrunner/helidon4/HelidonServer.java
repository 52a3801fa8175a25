package abrunner.helidon4;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.staticcontent.FileSystemHandlerConfig;
import io.helidon.webserver.staticcontent.StaticContentFeature;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Helidon 4, serving files by its static content module. */
public final class HelidonServer implements Server {
    private static final String WHOLE_FOLDER = "";

    private final InetSocketAddress address;
    private final int backlog;
    private final Path docroot;

    HelidonServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(HelidonServer::new);
    }

    @Override
    public void start() {
        HttpService files = StaticContentFeature.createService(FileSystemHandlerConfig.builder()
                .location(docroot)
                .addCachedFile(WHOLE_FOLDER)
                .build());
        WebServer.builder()
                .address(address.getAddress())
                .port(address.getPort())
                .backlog(backlog)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(routing -> routing.register(files))
                .build()
                .start();
    }
}

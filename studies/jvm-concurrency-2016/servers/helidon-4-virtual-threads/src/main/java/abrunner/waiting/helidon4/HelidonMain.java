package abrunner.waiting.helidon4;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.Wait;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.Duration;

/** Helidon 4, whose virtual thread sleeps: it has no others. */
public final class HelidonMain implements Server {
    private static final Duration IDLE = Duration.ofHours(1);

    private final Settings settings;

    private HelidonMain(Settings settings) {
        this.settings = settings;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(HelidonMain::server));
    }

    static Server server(Settings settings) {
        return new HelidonMain(settings);
    }

    @Override
    public void start() {
        WebServer.builder()
                .address(settings.address().getAddress())
                .port(settings.port())
                .backlog(settings.backlog())
                .idleConnectionTimeout(IDLE)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(routing -> routing.get(Wait.PATH, HelidonMain::answer))
                .build()
                .start();
    }

    private static void answer(ServerRequest request, ServerResponse response) {
        int millis = Wait.millis(request.query().rawValue());
        if (millis == Wait.INVALID) {
            response.status(Status.BAD_REQUEST_400).send();
            return;
        }
        Wait.block(millis);
        response.header(HeaderNames.CONTENT_TYPE, Wait.CONTENT_TYPE);
        response.send(Wait.bytes());
    }
}

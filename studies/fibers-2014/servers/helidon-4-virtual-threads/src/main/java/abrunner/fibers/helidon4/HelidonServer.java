package abrunner.fibers.helidon4;

import abrunner.fibers.Answer;
import abrunner.fibers.Service;
import abrunner.fibers.Sleep;
import abrunner.fibers.today.ApacheClient;
import abrunner.fibers.today.Internal;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.function.Function;

/** Helidon 4: each connection has a virtual thread, and there is nothing else to choose. */
public final class HelidonServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final Service service;

    HelidonServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        service = new Service(new ApacheClient(settings));
        settings.choice("THREAD_KIND", ThreadKind.VIRTUAL, EnumSet.of(ThreadKind.VIRTUAL));
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(HelidonServer::new);
    }

    @Override
    public void start() {
        WebServer.builder()
                .address(address.getAddress())
                .port(address.getPort())
                .backlog(backlog)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(HttpRouting.builder()
                        .get("/service", handler(service::answer))
                        .get("/internal", handler(Internal::answer)))
                .build()
                .start();
    }

    private static Handler handler(Function<String, Answer> answers) {
        return (request, response) -> {
            Answer answer = answers.apply(Sleep.find(request.query().rawValue()));
            response.status(answer.status()).header(HeaderNames.CONTENT_TYPE, Answer.CONTENT_TYPE).send(answer.body());
        };
    }
}

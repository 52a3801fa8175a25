package plain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.microhttp.EventLoop;
import org.microhttp.Options;
import org.microhttp.Request;
import org.microhttp.Response;

/** After the README of Microhttp. */
public final class Main {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options = Options.builder()
                .withHost(System.getenv("ADDRESS"))
                .withPort(Integer.parseInt(System.getenv("PORT")))
                .withReuseAddr(true)
                .withAcceptLength(1000)
                .build();
        EventLoop eventLoop = new EventLoop(options, (request, callback) -> callback.accept(answer(request)));
        eventLoop.start();
        eventLoop.join();
    }

    private static Response answer(Request request) {
        try {
            byte[] content = Files.readAllBytes(Path.of(System.getenv("DOCROOT") + request.uri()));
            return new Response(200, "OK", List.of(), content);
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }
}

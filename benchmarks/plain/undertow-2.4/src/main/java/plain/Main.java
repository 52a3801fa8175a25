package plain;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.handlers.resource.PathResourceManager;
import java.nio.file.Paths;

/** After io.undertow.examples.fileserving.FileServer. */
public final class Main {
    public static void main(String[] arguments) {
        Undertow.builder()
                .addHttpListener(Integer.parseInt(System.getenv("PORT")), System.getenv("ADDRESS"))
                .setHandler(Handlers.resource(new PathResourceManager(Paths.get(System.getenv("DOCROOT")), 100)))
                .build()
                .start();
    }
}

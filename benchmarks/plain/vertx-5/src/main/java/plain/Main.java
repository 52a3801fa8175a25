package plain;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;

/** After "Serving files directly from disk" in the manual of Vert.x Core. */
public final class Main {
    public static void main(String[] arguments) {
        Vertx.vertx()
                .createHttpServer(new HttpServerOptions().setAcceptBacklog(1000))
                .requestHandler(request -> request.response().sendFile(System.getenv("DOCROOT") + request.path()))
                .listen(Integer.parseInt(System.getenv("PORT")), System.getenv("ADDRESS"));
    }
}

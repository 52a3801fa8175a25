package abrunner.jdk;

import abrunner.harness.Docroot;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;

/** Answers with files. */
final class FileHandler implements HttpHandler {
    /** Says that an answer has no body; 0 would say that its length is not known. */
    private static final long NO_BODY = -1;

    private final Docroot docroot;

    FileHandler(Docroot docroot) {
        this.docroot = docroot;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            if (!isHead && !exchange.getRequestMethod().equals("GET")) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_METHOD, NO_BODY);
                return;
            }
            Path file = docroot.find(exchange.getRequestURI().getRawPath());
            if (file == null) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, NO_BODY);
            } else {
                send(exchange, file, isHead);
            }
        }
    }

    private static void send(HttpExchange exchange, Path file, boolean isHead) throws IOException {
        long length = Files.size(file);
        exchange.getResponseHeaders().set("Content-Type", Docroot.contentType(file));
        if (isHead || length == 0) {
            exchange.getResponseHeaders().set("Content-Length", Long.toString(length));
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, NO_BODY);
        } else {
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, length);
            Files.copy(file, exchange.getResponseBody());
        }
    }
}

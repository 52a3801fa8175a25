package abrunner.jdk;

import abrunner.harness.FileCache;
import abrunner.harness.ServedFile;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.channels.Channels;

/** Answers with files. */
final class FileHandler implements HttpHandler {
    /** Says that an answer has no body; 0 would say that its length is not known. */
    private static final long NO_BODY = -1;

    private final FileCache files;

    FileHandler(FileCache files) {
        this.files = files;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            if (!isHead && !exchange.getRequestMethod().equals("GET")) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_METHOD, NO_BODY);
                return;
            }
            ServedFile file = files.find(exchange.getRequestURI().getRawPath());
            if (file == null) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, NO_BODY);
            } else {
                send(exchange, file, isHead);
            }
        }
    }

    private static void send(HttpExchange exchange, ServedFile file, boolean isHead) throws IOException {
        Headers fields = exchange.getResponseHeaders();
        fields.set("Content-Type", file.contentType());
        fields.set("Last-Modified", file.lastModified());
        if (isHead || file.length() == 0) {
            fields.set("Content-Length", Long.toString(file.length()));
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, NO_BODY);
        } else if (file.content() != null) {
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, file.length());
            exchange.getResponseBody().write(file.content());
        } else {
            try (InputStream content = Channels.newInputStream(file.open())) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, file.length());
                content.transferTo(exchange.getResponseBody());
            }
        }
    }
}

package abrunner.waiting.jdk;

import abrunner.waiting.Wait;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.HttpURLConnection;

/** Answers after having slept. */
final class WaitHandler implements HttpHandler {
    /** Says that an answer has no body; 0 would say that its length is not known. */
    private static final long NO_BODY = -1;

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            int millis = Wait.millis(exchange.getRequestURI().getRawQuery());
            if (!exchange.getRequestURI().getPath().equals(Wait.PATH)) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, NO_BODY);
            } else if (millis == Wait.INVALID) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_REQUEST, NO_BODY);
            } else {
                Wait.block(millis);
                exchange.getResponseHeaders().set("Content-Type", Wait.CONTENT_TYPE);
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, Wait.bytes().length);
                exchange.getResponseBody().write(Wait.bytes());
            }
        }
    }
}

package abrunner.waiting.undertow13;

import abrunner.waiting.Wait;
import abrunner.waiting.handlers.Collector;
import abrunner.waiting.handlers.Delays;
import abrunner.waiting.handlers.Way;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.util.function.ObjIntConsumer;

/** Undertow's own handler, which waits in one of three ways. */
final class WaitHandler implements HttpHandler {
    /** Sees to it that an exchange is answered after so many milliseconds. */
    private final ObjIntConsumer<HttpServerExchange> answer;

    private WaitHandler(ObjIntConsumer<HttpServerExchange> answer) {
        this.answer = answer;
    }

    /** The handler that waits so. */
    static HttpHandler of(Way way) {
        switch (way) {
            case DISPATCH:
                return new WaitHandler(dispatch());
            case QUEUE:
                return new WaitHandler(queue());
            default:
                return new WaitHandler(WaitHandler::sleep);
        }
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) {
        if (!exchange.getRequestPath().equals(Wait.PATH)) {
            exchange.setStatusCode(StatusCodes.NOT_FOUND).endExchange();
            return;
        }
        int millis = Wait.millis(exchange.getQueryString());
        if (millis == Wait.INVALID) {
            exchange.setStatusCode(StatusCodes.BAD_REQUEST).endExchange();
        } else {
            answer.accept(exchange, millis);
        }
    }

    /** As in the source the I/O thread sleeps, and all of its connections with it. */
    private static void sleep(HttpServerExchange exchange, int millis) {
        Wait.block(millis);
        send(exchange);
    }

    /** A worker keeps the exchange for the timer, and is free again: it does not sleep, unlike those of servlets. */
    private static ObjIntConsumer<HttpServerExchange> dispatch() {
        Collector collector = Collector.alone();
        Delays delays = new Delays();
        return (exchange, millis) -> exchange.dispatch(
                () -> collector.add(() -> delays.after(millis, () -> send(exchange))));
    }

    /** The I/O thread keeps the exchange for the timer. */
    private static ObjIntConsumer<HttpServerExchange> queue() {
        Collector collector = Collector.withQueue();
        Delays delays = new Delays();
        return (exchange, millis) -> exchange.dispatch(SameThreadExecutor.INSTANCE,
                () -> collector.add(() -> delays.after(millis, () -> send(exchange))));
    }

    private static void send(HttpServerExchange exchange) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, Wait.CONTENT_TYPE);
        exchange.getResponseSender().send(Wait.buffer());
    }
}

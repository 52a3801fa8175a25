package abrunner.waiting.jetty93;

import abrunner.waiting.handlers.Collector;
import abrunner.waiting.handlers.Delays;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.servlet.AsyncContext;
import org.eclipse.jetty.server.Request;

/** Lets go of the server's thread, and has the request ended by a pool of two. */
final class QueueHandler extends WaitHandler {
    private final Collector collector = Collector.withQueue();
    private final Delays delays = new Delays();

    @Override
    void answer(Request request, int millis) {
        AsyncContext context = letGo(request);
        collector.add(() -> delays.after(millis, () -> end(request, context)));
    }

    private static void end(Request request, AsyncContext context) {
        try {
            send(request);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        } finally {
            context.complete();
        }
    }
}

package abrunner.waiting.handlers;

import java.io.IOException;
import java.io.UncheckedIOException;
import javax.servlet.AsyncContext;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Lets go of the container's thread, and has the request ended by a pool of two. */
final class AsyncServlet extends WaitServlet {
    private static final long serialVersionUID = 1L;

    private final transient Collector collector = Collector.withPool();
    private final transient Delays delays = new Delays();

    @Override
    void answer(HttpServletRequest request, HttpServletResponse response, int millis) {
        AsyncContext context = letGo(request);
        collector.add(() -> delays.after(millis, () -> end(context)));
    }

    private static void end(AsyncContext context) {
        try {
            write(context.getResponse());
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        } finally {
            context.complete();
        }
    }
}

package abrunner.waiting.jetty93;

import abrunner.waiting.Wait;
import abrunner.waiting.handlers.Way;
import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** What Jetty's own handlers have in common: they write without a servlet's stream. */
abstract class WaitHandler extends AbstractHandler {
    /** The handler that waits so. */
    static Handler of(Way way) {
        switch (way) {
            case DISPATCH:
                return new DispatchHandler();
            case QUEUE:
                return new QueueHandler();
            default:
                return new SyncHandler();
        }
    }

    @Override
    public final void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (!target.equals(Wait.PATH)) {
            // What nobody has handled is not found.
            return;
        }
        base.setHandled(true);
        int millis = Wait.millis(base.getQueryString());
        if (millis == Wait.INVALID) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
        } else {
            answer(base, millis);
        }
    }

    /** Sees to it that the request is answered after so long. */
    abstract void answer(Request request, int millis) throws IOException;

    static void send(Request request) throws IOException {
        request.getResponse().setContentType(Wait.CONTENT_TYPE);
        request.getResponse().getHttpOutput().sendContent(Wait.buffer());
    }

    final AsyncContext letGo(Request request) {
        AsyncContext context = request.startAsync();
        context.setTimeout(Wait.TIMEOUT_MILLIS);
        return context;
    }
}

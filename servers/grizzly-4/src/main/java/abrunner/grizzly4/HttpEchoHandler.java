package abrunner.grizzly4;

import abrunner.harness.HttpDate;
import java.io.IOException;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.RequestExecutorProvider;
import org.glassfish.grizzly.http.server.Response;

/** Answers each request with its own head. */
final class HttpEchoHandler extends HttpHandler {
    @Override
    public void service(Request request, Response response) throws IOException {
        byte[] head = HeadKeepingFilter.head(request.getRequest());
        if (head == null) {
            // Below /echo, or written with escapes.
            response.sendError(404);
            return;
        }
        response.setHeader("Date", HttpDate.now());
        response.setContentType("text/plain");
        response.setContentLength(head.length);
        response.getOutputStream().write(head);
    }

    @Override
    public RequestExecutorProvider getRequestExecutorProvider() {
        return GrizzlyServer.SELECTOR_THREAD;
    }
}

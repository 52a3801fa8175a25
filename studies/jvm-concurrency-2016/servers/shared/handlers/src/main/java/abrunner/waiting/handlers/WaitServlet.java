package abrunner.waiting.handlers;

import abrunner.waiting.Wait;
import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** What the servlets of 2016 have in common. */
public abstract class WaitServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** The servlet that waits so. */
    public static HttpServlet of(Way way) {
        switch (way) {
            case DISPATCH:
                return new DispatchServlet();
            case ASYNC:
                return new AsyncServlet();
            default:
                return new SyncServlet();
        }
    }

    /** The answer, where nothing of it has been written. */
    public static void write(ServletResponse response) throws IOException {
        response.setContentType(Wait.CONTENT_TYPE);
        response.setContentLength(Wait.bytes().length);
        response.getOutputStream().write(Wait.bytes());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int millis = Wait.millis(request.getQueryString());
        if (millis == Wait.INVALID) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
        } else {
            answer(request, response, millis);
        }
    }

    /** Sees to it that the request is answered after so long. */
    abstract void answer(HttpServletRequest request, HttpServletResponse response, int millis) throws IOException;

    final AsyncContext letGo(HttpServletRequest request) {
        AsyncContext context = request.startAsync();
        context.setTimeout(Wait.TIMEOUT_MILLIS);
        return context;
    }
}

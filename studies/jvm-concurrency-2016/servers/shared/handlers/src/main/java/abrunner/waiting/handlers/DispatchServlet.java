package abrunner.waiting.handlers;

import abrunner.waiting.Wait;
import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Lets go of the container's thread, and has another one sleep as soon as the timer has come. */
final class DispatchServlet extends WaitServlet {
    private static final long serialVersionUID = 1L;
    /** The attribute of a request that comes for the second time. */
    private static final String MILLIS = "abrunner.waiting.millis";

    private final transient Collector collector = Collector.alone();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Object millis = request.getAttribute(MILLIS);
        if (millis == null) {
            super.doGet(request, response);
        } else {
            Wait.block((Integer) millis);
            write(response);
        }
    }

    @Override
    void answer(HttpServletRequest request, HttpServletResponse response, int millis) {
        request.setAttribute(MILLIS, millis);
        AsyncContext context = letGo(request);
        collector.add(context::dispatch);
    }
}

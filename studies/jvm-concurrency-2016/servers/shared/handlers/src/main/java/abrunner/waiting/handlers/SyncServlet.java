package abrunner.waiting.handlers;

import abrunner.waiting.Wait;
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Has the container's thread sleep. */
final class SyncServlet extends WaitServlet {
    private static final long serialVersionUID = 1L;

    @Override
    void answer(HttpServletRequest request, HttpServletResponse response, int millis) throws IOException {
        Wait.block(millis);
        write(response);
    }
}

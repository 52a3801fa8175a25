package abrunner.waiting.tomcat11;

import abrunner.waiting.Wait;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers after having slept. */
final class WaitServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int millis = Wait.millis(request.getQueryString());
        if (millis == Wait.INVALID) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        Wait.block(millis);
        response.setContentType(Wait.CONTENT_TYPE);
        response.setContentLength(Wait.bytes().length);
        response.getOutputStream().write(Wait.bytes());
    }
}

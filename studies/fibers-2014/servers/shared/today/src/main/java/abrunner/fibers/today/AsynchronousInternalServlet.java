package abrunner.fibers.today;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import abrunner.fibers.Timer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A and B on platform threads: they need one of the server's to be accepted, and none while they take their time. */
final class AsynchronousInternalServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final long NO_TIMEOUT = 0;

    private final transient Timer timer = new Timer();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int millis;
        try {
            millis = Sleep.millis(request.getParameter(Sleep.PARAMETER));
        } catch (Sleep.InvalidSleep invalid) {
            AnswerServlet.write(response, Answer.INVALID_SLEEP);
            return;
        }
        AsyncContext waiting = request.startAsync();
        waiting.setTimeout(NO_TIMEOUT);
        timer.after(millis, () -> answer(waiting, response));
    }

    private static void answer(AsyncContext waiting, HttpServletResponse response) {
        try {
            AnswerServlet.write(response, Answer.OK);
        } catch (IOException gone) {
            // Whoever asked does not wait any more.
        } finally {
            waiting.complete();
        }
    }
}

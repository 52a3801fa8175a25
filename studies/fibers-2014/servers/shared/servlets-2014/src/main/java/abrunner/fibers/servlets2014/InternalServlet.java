package abrunner.fibers.servlets2014;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import abrunner.fibers.Timer;
import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** A and B: they need a thread of the server to be accepted, and none while they take their time. */
final class InternalServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final long NO_TIMEOUT = 0;

    private final transient Timer timer = new Timer();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int millis;
        try {
            millis = Sleep.millis(request.getParameter(Sleep.PARAMETER));
        } catch (Sleep.InvalidSleep invalid) {
            Answers.write(response, Answer.INVALID_SLEEP);
            return;
        }
        AsyncContext waiting = request.startAsync();
        waiting.setTimeout(NO_TIMEOUT);
        timer.after(millis, () -> answer(waiting, response));
    }

    private static void answer(AsyncContext waiting, HttpServletResponse response) {
        try {
            Answers.write(response, Answer.OK);
        } catch (IOException gone) {
            // Whoever asked does not wait any more.
        } finally {
            waiting.complete();
        }
    }
}

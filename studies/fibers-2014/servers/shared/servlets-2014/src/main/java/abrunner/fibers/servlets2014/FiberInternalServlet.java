package abrunner.fibers.servlets2014;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import co.paralleluniverse.fibers.SuspendExecution;
import co.paralleluniverse.fibers.Suspendable;
import co.paralleluniverse.fibers.servlet.FiberHttpServlet;
import co.paralleluniverse.strands.Strand;
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** A and B on fibers, as they always were in 2014. */
final class FiberInternalServlet extends FiberHttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    @Suspendable
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answers.write(response, answer(request.getParameter(Sleep.PARAMETER)));
    }

    @Suspendable
    private static Answer answer(String sleep) {
        try {
            Strand.sleep(Sleep.millis(sleep));
            return Answer.OK;
        } catch (Sleep.InvalidSleep invalid) {
            return Answer.INVALID_SLEEP;
        } catch (InterruptedException ended) {
            return Answer.FAILED;
        } catch (SuspendExecution marker) {
            throw new AssertionError("Quasar never lets it through", marker);
        }
    }
}

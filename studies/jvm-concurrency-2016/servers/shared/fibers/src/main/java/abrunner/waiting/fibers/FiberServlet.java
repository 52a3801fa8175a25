package abrunner.waiting.fibers;

import abrunner.waiting.Wait;
import abrunner.waiting.handlers.WaitServlet;
import co.paralleluniverse.fibers.SuspendExecution;
import co.paralleluniverse.fibers.Suspendable;
import co.paralleluniverse.fibers.servlet.FiberHttpServlet;
import co.paralleluniverse.strands.Strand;
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Written as if it blocked, but it is a fiber that sleeps. Works under the Quasar agent only. */
final class FiberServlet extends FiberHttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    @Suspendable
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int millis = Wait.millis(request.getQueryString());
        if (millis == Wait.INVALID) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        sleep(millis);
        WaitServlet.write(response);
    }

    @Suspendable
    private static void sleep(int millis) {
        if (millis > 0) {
            try {
                Strand.sleep(millis);
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            } catch (SuspendExecution suspended) {
                // The agent's own: it never arrives here.
                throw new AssertionError(suspended);
            }
        }
    }
}

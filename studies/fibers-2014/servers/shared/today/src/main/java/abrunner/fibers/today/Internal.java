package abrunner.fibers.today;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;

/** A and B where a request has a virtual thread, which may as well wait. */
public final class Internal {
    private Internal() {
    }

    /** Returns the answer to a request with this value of {@link Sleep#PARAMETER}, once it has taken so long. */
    public static Answer answer(String sleep) {
        try {
            Thread.sleep(Sleep.millis(sleep));
            return Answer.OK;
        } catch (Sleep.InvalidSleep invalid) {
            return Answer.INVALID_SLEEP;
        } catch (InterruptedException ended) {
            return Answer.FAILED;
        }
    }
}

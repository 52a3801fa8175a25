package abrunner.waiting.handlers;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends requests after their wait, from a small pool. */
public final class Delays {
    /** As many as the source's server had CPUs. */
    static final int THREADS = 2;

    private final ScheduledExecutorService pool = Executors.newScheduledThreadPool(THREADS);

    /** Does it after the wait, or here and now if there is none. */
    public void after(int millis, Runnable answer) {
        if (millis > 0) {
            pool.schedule(answer, millis, TimeUnit.MILLISECONDS);
        } else {
            answer.run();
        }
    }
}

package abrunner.fibers;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Lets A and B take their time without a thread of the server for each of them. */
public final class Timer {
    /** One thread is enough: all that it does is to hand over answers. */
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "timer");
        thread.setDaemon(true);
        return thread;
    });

    /** Runs the task once so many milliseconds have passed, never earlier. */
    public void after(int millis, Runnable task) {
        executor.schedule(task, millis, TimeUnit.MILLISECONDS);
    }
}

package abrunner.waiting.handlers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps what is to be done for requests until a timer collects it, every 10 ms. All asynchronous handlers of the source
 * do so, and it is why they answered 5 ms later than the others on average: a wait begins when it is collected.
 */
public final class Collector {
    private static final int PERIOD_MILLIS = 10;
    private static final Logger LOGGER = Logger.getLogger(Collector.class.getName());

    private List<Runnable> kept = new ArrayList<>();

    private Collector(Consumer<List<Runnable>> taker) {
        new Timer("collector", true).schedule(new TimerTask() {
            @Override
            public void run() {
                taker.accept(take());
            }
        }, PERIOD_MILLIS, PERIOD_MILLIS);
    }

    /** One that does on its own thread what it collects. */
    public static Collector alone() {
        return new Collector(batch -> batch.forEach(Collector::run));
    }

    /** One that gives what it collects to a pool, one by one. */
    public static Collector withPool() {
        Executor pool = new ForkJoinPool(Delays.THREADS);
        return new Collector(batch -> batch.forEach(task -> pool.execute(() -> run(task))));
    }

    /** One that puts what it collects into the queue of a pool at once: one of its threads does all. */
    public static Collector withQueue() {
        Executor pool = Executors.newFixedThreadPool(Delays.THREADS);
        return new Collector(batch -> {
            if (!batch.isEmpty()) {
                pool.execute(() -> batch.forEach(Collector::run));
            }
        });
    }

    /** Keeps a task until the timer comes. */
    public synchronized void add(Runnable task) {
        kept.add(task);
    }

    private synchronized List<Runnable> take() {
        if (kept.isEmpty()) {
            return Collections.emptyList();
        }
        List<Runnable> taken = kept;
        kept = new ArrayList<>();
        return taken;
    }

    /** A request that fails must not take the timer with it, nor the others. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException failed) {
            LOGGER.log(Level.WARNING, "a request failed", failed);
        }
    }
}

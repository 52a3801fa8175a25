package abrunner.waiting.handlers;

import abrunner.harness.Settings;
import java.util.EnumSet;

/** How a handler waits, as the variable HANDLER chooses it. */
public enum Way {
    /** The thread that took the request sleeps. */
    SYNC,
    /** The thread lets go of the request; a timer gives it back to the container every 10 ms, and a thread of its sleeps. */
    DISPATCH,
    /** Servlets: the thread lets go of the request; a timer gives it to a small pool, which ends it after the wait. */
    ASYNC,
    /** Handlers: as the last, but the timer puts all requests of 10 ms into a queue as one. */
    QUEUE;

    /** The chosen one of those that there are for servlets. */
    public static Way ofServlet(Settings settings) {
        return settings.choice("HANDLER", SYNC, EnumSet.of(SYNC, DISPATCH, ASYNC));
    }

    /** The chosen one of those that there are for a server's own handlers. */
    public static Way ofHandler(Settings settings) {
        return settings.choice("HANDLER", SYNC, EnumSet.of(SYNC, DISPATCH, QUEUE));
    }
}

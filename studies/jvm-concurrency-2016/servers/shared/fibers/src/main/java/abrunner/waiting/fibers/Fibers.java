package abrunner.waiting.fibers;

import abrunner.waiting.Settings;
import javax.servlet.http.HttpServlet;

/** What the programs with fibers have in common. */
public final class Fibers {
    /** As the source's asynchronous servers had; as shipped it is the container's, 30 s. */
    private static final int PUBLISHED_TIMEOUT_MILLIS = 3_600_000;
    private static final int PUBLISHED_THREADS = 100;

    private Fibers() {
    }

    /** The servlet, in a program that has made none before. */
    public static HttpServlet servlet(Settings settings) {
        // Read when the class is loaded that the servlet extends, so not in the servlet.
        System.setProperty("co.paralleluniverse.fibers.servlet.FiberHttpServlet.asyncTimeout",
                Integer.toString(settings.asyncTimeout(PUBLISHED_TIMEOUT_MILLIS)));
        return new FiberServlet();
    }

    /** How many threads the source gave to a server whose requests wait in fibers. */
    public static int publishedThreads() {
        return PUBLISHED_THREADS;
    }
}

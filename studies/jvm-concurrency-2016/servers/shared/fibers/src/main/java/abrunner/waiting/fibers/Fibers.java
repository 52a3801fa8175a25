package abrunner.waiting.fibers;

import abrunner.waiting.Wait;
import javax.servlet.http.HttpServlet;

/** What the programs with fibers have in common. */
public final class Fibers {
    private Fibers() {
    }

    /** The servlet, in a program that has made none before. */
    public static HttpServlet servlet() {
        // Read when the class is loaded that the servlet extends, so not in the servlet.
        System.setProperty("co.paralleluniverse.fibers.servlet.FiberHttpServlet.asyncTimeout",
                Integer.toString(Wait.TIMEOUT_MILLIS));
        return new FiberServlet();
    }
}

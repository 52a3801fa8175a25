package abrunner.waiting.fibers.tomcat80;

import abrunner.waiting.Launcher;
import abrunner.waiting.fibers.Fibers;
import abrunner.waiting.tomcat80.TomcatServer;

/** Tomcat 8.0 with a servlet whose requests wait in fibers. */
public final class FiberTomcatMain {
    private FiberTomcatMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(settings -> new TomcatServer(settings, Fibers.publishedThreads(), Fibers.servlet(settings)));
    }
}

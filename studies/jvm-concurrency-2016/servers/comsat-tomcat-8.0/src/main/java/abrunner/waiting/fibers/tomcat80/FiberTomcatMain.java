package abrunner.waiting.fibers.tomcat80;

import abrunner.harness.Launcher;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.fibers.Fibers;
import abrunner.waiting.tomcat80.TomcatServer;

/** Tomcat 8.0 with a servlet whose requests wait in fibers. */
public final class FiberTomcatMain {
    private FiberTomcatMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(settings -> new TomcatServer(settings, Fibers.servlet())));
    }
}

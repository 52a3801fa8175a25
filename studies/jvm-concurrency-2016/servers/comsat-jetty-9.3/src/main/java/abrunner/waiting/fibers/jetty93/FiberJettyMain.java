package abrunner.waiting.fibers.jetty93;

import abrunner.harness.Launcher;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.fibers.Fibers;
import abrunner.waiting.jetty93.JettyServer;

/** Jetty 9.3 with a servlet whose requests wait in fibers. */
public final class FiberJettyMain {
    private FiberJettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(
                settings -> new JettyServer(settings, JettyServer.of(Fibers.servlet()))));
    }
}

package abrunner.waiting.fibers.jetty93;

import abrunner.waiting.Launcher;
import abrunner.waiting.fibers.Fibers;
import abrunner.waiting.jetty93.JettyServer;

/** Jetty 9.3 with a servlet whose requests wait in fibers. */
public final class FiberJettyMain {
    private FiberJettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(settings -> new JettyServer(
                settings, Fibers.publishedThreads(), JettyServer.of(Fibers.servlet(settings))));
    }
}

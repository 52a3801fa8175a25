package abrunner.waiting.fibers.undertow13;

import abrunner.harness.Launcher;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.fibers.Fibers;
import abrunner.waiting.undertow13.UndertowServer;

/** Undertow 1.3 with a servlet whose requests wait in fibers. */
public final class FiberUndertowMain {
    private FiberUndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(
                settings -> new UndertowServer(settings, UndertowServer.of(Fibers.servlet()))));
    }
}

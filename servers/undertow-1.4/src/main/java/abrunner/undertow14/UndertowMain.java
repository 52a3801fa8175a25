package abrunner.undertow14;

import abrunner.harness.Launcher;
import abrunner.undertow.UndertowServer;

/** Undertow 1.4: the server that all versions share, on this one. */
public final class UndertowMain {
    private UndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(UndertowServer::new);
    }
}

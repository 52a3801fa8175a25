package abrunner.undertow14;

import abrunner.harness.Launcher;
import abrunner.undertow.UndertowServer;

/** Undertow 1.4 or 2.0: the server that all versions share. */
public final class UndertowMain {
    private UndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(UndertowServer::new);
    }
}

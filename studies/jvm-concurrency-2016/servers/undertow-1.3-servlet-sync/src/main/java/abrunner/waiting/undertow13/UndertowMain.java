package abrunner.waiting.undertow13;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Undertow 1.3 with a servlet or with a handler of its own, which waits in one of three ways. */
public final class UndertowMain {
    private enum Api { SERVLET, HANDLER }

    private UndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(UndertowMain::server));
    }

    static Server server(Settings settings) {
        return new UndertowServer(settings, settings.choice("API", Api.SERVLET) == Api.SERVLET
                ? UndertowServer.of(WaitServlet.of(Way.ofServlet(settings)))
                : WaitHandler.of(Way.ofHandler(settings)));
    }
}

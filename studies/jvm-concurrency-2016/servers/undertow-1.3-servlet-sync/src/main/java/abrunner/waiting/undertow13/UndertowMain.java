package abrunner.waiting.undertow13;

import abrunner.waiting.Launcher;
import abrunner.waiting.Server;
import abrunner.waiting.Settings;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Undertow 1.3 with a servlet or with a handler of its own, which waits in one of three ways. */
public final class UndertowMain {
    private enum Api { SERVLET, HANDLER }

    private UndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(UndertowMain::server);
    }

    static Server server(Settings settings) {
        if (settings.choice("API", Api.SERVLET, Api.HANDLER) == Api.SERVLET) {
            Way way = Way.ofServlet(settings);
            return new UndertowServer(
                    settings, way.publishedThreads(), UndertowServer.of(WaitServlet.of(way, settings)));
        }
        Way way = Way.ofHandler(settings);
        return new UndertowServer(settings, way.publishedThreads(), WaitHandler.of(way));
    }
}

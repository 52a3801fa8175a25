package abrunner.waiting.jetty93;

import abrunner.waiting.Launcher;
import abrunner.waiting.Server;
import abrunner.waiting.Settings;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Jetty 9.3 with a servlet or with a handler of its own, which waits in one of three ways. */
public final class JettyMain {
    private enum Api { SERVLET, HANDLER }

    private JettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(JettyMain::server);
    }

    static Server server(Settings settings) {
        if (settings.choice("API", Api.SERVLET, Api.HANDLER) == Api.SERVLET) {
            Way way = Way.ofServlet(settings);
            return new JettyServer(settings, way.publishedThreads(), JettyServer.of(WaitServlet.of(way, settings)));
        }
        Way way = Way.ofHandler(settings);
        return new JettyServer(settings, way.publishedThreads(), WaitHandler.of(way, settings));
    }
}

package abrunner.waiting.tomcat80;

import abrunner.waiting.Launcher;
import abrunner.waiting.Server;
import abrunner.waiting.Settings;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Tomcat 8.0 with a servlet that waits in one of three ways. */
public final class TomcatMain {
    private TomcatMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(TomcatMain::server);
    }

    static Server server(Settings settings) {
        Way way = Way.ofServlet(settings);
        return new TomcatServer(settings, way.publishedThreads(), WaitServlet.of(way, settings));
    }
}

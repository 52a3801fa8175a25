package abrunner.waiting.tomcat80;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Tomcat 8.0 with a servlet that waits in one of three ways. */
public final class TomcatMain {
    private TomcatMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(TomcatMain::server));
    }

    static Server server(Settings settings) {
        return new TomcatServer(settings, WaitServlet.of(Way.ofServlet(settings)));
    }
}

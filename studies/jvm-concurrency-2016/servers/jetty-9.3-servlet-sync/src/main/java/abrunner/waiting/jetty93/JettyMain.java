package abrunner.waiting.jetty93;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.handlers.WaitServlet;
import abrunner.waiting.handlers.Way;

/** Jetty 9.3 with a servlet or with a handler of its own, which waits in one of three ways. */
public final class JettyMain {
    private enum Api { SERVLET, HANDLER }

    private JettyMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(JettyMain::server));
    }

    static Server server(Settings settings) {
        return new JettyServer(settings, settings.choice("API", Api.SERVLET) == Api.SERVLET
                ? JettyServer.of(WaitServlet.of(Way.ofServlet(settings)))
                : WaitHandler.of(Way.ofHandler(settings)));
    }
}

package abrunner.robaho10;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.jdk.JdkServer;

/** robaho's implementation of the JDK's HTTP server: that of the class path is taken, so the program is the JDK's. */
public final class RobahoMain {
    private RobahoMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(RobahoMain::server);
    }

    static Server server(Settings settings) {
        // Read once, when the first server is made.
        System.setProperty("robaho.net.httpserver.nodelay", "true");
        return new JdkServer(settings);
    }
}

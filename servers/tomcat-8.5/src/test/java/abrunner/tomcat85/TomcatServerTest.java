package abrunner.tomcat85;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class TomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }
}

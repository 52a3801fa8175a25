package abrunner.tomcat11;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class NioTomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }
}

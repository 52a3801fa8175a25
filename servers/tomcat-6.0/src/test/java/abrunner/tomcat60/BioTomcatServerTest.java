package abrunner.tomcat60;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class BioTomcatServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }
}

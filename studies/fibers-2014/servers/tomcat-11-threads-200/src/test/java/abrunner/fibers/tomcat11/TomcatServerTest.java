package abrunner.fibers.tomcat11;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;

class TomcatServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new TomcatServer(settings);
    }
}

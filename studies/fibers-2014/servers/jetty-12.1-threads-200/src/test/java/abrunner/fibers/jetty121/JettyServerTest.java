package abrunner.fibers.jetty121;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;

class JettyServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new JettyServer(settings);
    }
}

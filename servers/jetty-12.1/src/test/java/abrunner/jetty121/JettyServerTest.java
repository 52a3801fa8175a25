package abrunner.jetty121;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class JettyServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new JettyServer(settings);
    }
}

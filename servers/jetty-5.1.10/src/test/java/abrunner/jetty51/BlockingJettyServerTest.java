package abrunner.jetty51;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class BlockingJettyServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new JettyServer(settings);
    }
}

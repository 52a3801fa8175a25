package abrunner.jetty51;

import abrunner.harness.FileServerContract;

class BlockingJettyServerTest extends FileServerContract {
    BlockingJettyServerTest() {
        super(JettyServer::new);
    }
}

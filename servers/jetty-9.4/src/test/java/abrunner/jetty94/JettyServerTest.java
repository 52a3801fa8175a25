package abrunner.jetty94;

import abrunner.harness.FileServerContract;

class JettyServerTest extends FileServerContract {
    JettyServerTest() {
        super(JettyServer::new);
    }
}

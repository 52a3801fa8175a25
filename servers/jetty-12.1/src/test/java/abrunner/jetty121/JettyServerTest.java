package abrunner.jetty121;

import abrunner.harness.FileServerContract;

class JettyServerTest extends FileServerContract {
    JettyServerTest() {
        super(JettyServer::new);
    }
}

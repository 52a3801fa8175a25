package abrunner.jetty51;

import abrunner.harness.FileServerContract;

class NioJettyServerTest extends FileServerContract {
    NioJettyServerTest() {
        super(JettyServer::new, "LISTENER=nio");
    }
}

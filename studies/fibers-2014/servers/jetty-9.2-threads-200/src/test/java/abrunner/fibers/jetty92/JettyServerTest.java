package abrunner.fibers.jetty92;

import abrunner.fibers.ServiceContract;

class JettyServerTest extends ServiceContract {
    JettyServerTest() {
        super(JettyServer::new, true);
    }
}

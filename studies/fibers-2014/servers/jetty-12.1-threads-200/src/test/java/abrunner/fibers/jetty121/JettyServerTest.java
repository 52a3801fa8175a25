package abrunner.fibers.jetty121;

import abrunner.fibers.ServiceContract;

class JettyServerTest extends ServiceContract {
    JettyServerTest() {
        super(JettyServer::new, true);
    }
}

package abrunner.fibers.helidon4;

import abrunner.fibers.ServiceContract;

class HelidonServerTest extends ServiceContract {
    HelidonServerTest() {
        super(HelidonServer::new, false);
    }
}

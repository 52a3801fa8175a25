package abrunner.grizzly19;

import abrunner.harness.EchoServerContract;

class GrizzlyEchoTest extends EchoServerContract {
    GrizzlyEchoTest() {
        super(GrizzlyServer::new);
    }
}

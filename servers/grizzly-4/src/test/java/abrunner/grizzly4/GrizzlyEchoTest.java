package abrunner.grizzly4;

import abrunner.harness.EchoServerContract;

class GrizzlyEchoTest extends EchoServerContract {
    GrizzlyEchoTest() {
        super(GrizzlyServer::new);
    }
}

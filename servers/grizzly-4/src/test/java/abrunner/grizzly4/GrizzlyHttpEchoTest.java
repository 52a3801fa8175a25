package abrunner.grizzly4;

import abrunner.harness.EchoServerContract;

class GrizzlyHttpEchoTest extends EchoServerContract {
    GrizzlyHttpEchoTest() {
        super(GrizzlyServer::new, "ECHO=http");
    }
}

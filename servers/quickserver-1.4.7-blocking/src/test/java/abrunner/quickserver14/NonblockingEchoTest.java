package abrunner.quickserver14;

import abrunner.harness.EchoServerContract;

class NonblockingEchoTest extends EchoServerContract {
    NonblockingEchoTest() {
        super(EchoServer::new, "MODE=nonblocking");
    }
}

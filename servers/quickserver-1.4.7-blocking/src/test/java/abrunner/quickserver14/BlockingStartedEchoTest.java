package abrunner.quickserver14;

import abrunner.harness.EchoServerContract;

class BlockingStartedEchoTest extends EchoServerContract {
    BlockingStartedEchoTest() {
        super(EchoServer::new, "MODE=blocking_started");
    }
}

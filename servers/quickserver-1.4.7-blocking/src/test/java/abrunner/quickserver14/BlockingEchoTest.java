package abrunner.quickserver14;

import abrunner.harness.EchoServerContract;

class BlockingEchoTest extends EchoServerContract {
    BlockingEchoTest() {
        super(EchoServer::new, "MODE=blocking");
    }
}

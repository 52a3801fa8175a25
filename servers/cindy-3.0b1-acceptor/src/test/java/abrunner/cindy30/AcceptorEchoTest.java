package abrunner.cindy30;

import abrunner.harness.EchoServerContract;

class AcceptorEchoTest extends EchoServerContract {
    AcceptorEchoTest() {
        super(CindyServer::new);
    }
}

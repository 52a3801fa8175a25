package abrunner.cindy30;

import abrunner.harness.EchoServerContract;

class SessionEchoTest extends EchoServerContract {
    SessionEchoTest() {
        super(CindyServer::new, "LISTENER=session");
    }
}

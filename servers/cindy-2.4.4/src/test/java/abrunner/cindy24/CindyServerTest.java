package abrunner.cindy24;

import abrunner.harness.EchoServerContract;

class CindyServerTest extends EchoServerContract {
    CindyServerTest() {
        super(CindyServer::new);
    }
}

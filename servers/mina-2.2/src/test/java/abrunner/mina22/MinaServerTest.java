package abrunner.mina22;

import abrunner.harness.EchoServerContract;

class MinaServerTest extends EchoServerContract {
    MinaServerTest() {
        super(MinaServer::new);
    }
}

package abrunner.mina09;

import abrunner.harness.EchoServerContract;

class MinaServerTest extends EchoServerContract {
    MinaServerTest() {
        super(MinaServer::new);
    }
}

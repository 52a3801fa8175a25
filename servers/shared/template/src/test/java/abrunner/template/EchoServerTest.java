package abrunner.template;

import abrunner.harness.EchoServerContract;

class EchoServerTest extends EchoServerContract {
    EchoServerTest() {
        super(EchoServer::new);
    }
}

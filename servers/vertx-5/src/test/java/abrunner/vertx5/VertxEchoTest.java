package abrunner.vertx5;

import abrunner.harness.EchoServerContract;

class VertxEchoTest extends EchoServerContract {
    VertxEchoTest() {
        super(VertxServer::new, "API=net");
    }
}

package abrunner.netty42;

import abrunner.harness.EchoServerContract;

class HttpEchoTest extends EchoServerContract {
    HttpEchoTest() {
        super(NettyMain::server, "ECHO=http");
    }
}

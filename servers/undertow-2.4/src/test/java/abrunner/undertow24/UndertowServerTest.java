package abrunner.undertow24;

import abrunner.harness.FileServerContract;
import abrunner.undertow.UndertowServer;

class UndertowServerTest extends FileServerContract {
    UndertowServerTest() {
        super(UndertowServer::new);
    }
}

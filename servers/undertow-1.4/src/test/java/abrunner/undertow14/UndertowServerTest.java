package abrunner.undertow14;

import abrunner.harness.FileServerContract;
import abrunner.undertow.UndertowServer;

class UndertowServerTest extends FileServerContract {
    UndertowServerTest() {
        super(UndertowServer::new);
    }
}

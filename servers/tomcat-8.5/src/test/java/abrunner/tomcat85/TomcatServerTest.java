package abrunner.tomcat85;

import abrunner.harness.FileServerContract;

class TomcatServerTest extends FileServerContract {
    TomcatServerTest() {
        super(TomcatServer::new);
    }
}

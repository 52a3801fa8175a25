package abrunner.tomcat70;

import abrunner.harness.FileServerContract;

class NioTomcatServerTest extends FileServerContract {
    NioTomcatServerTest() {
        super(TomcatServer::new, "IO=nio");
    }
}

package abrunner.tomcat60;

import abrunner.harness.FileServerContract;

class NioTomcatServerTest extends FileServerContract {
    NioTomcatServerTest() {
        super(TomcatServer::new, "IO=nio");
    }
}

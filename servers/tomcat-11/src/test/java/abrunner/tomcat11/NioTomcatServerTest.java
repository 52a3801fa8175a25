package abrunner.tomcat11;

import abrunner.harness.FileServerContract;

class NioTomcatServerTest extends FileServerContract {
    NioTomcatServerTest() {
        super(TomcatServer::new);
    }
}

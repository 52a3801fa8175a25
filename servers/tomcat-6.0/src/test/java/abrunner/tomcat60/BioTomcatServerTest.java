package abrunner.tomcat60;

import abrunner.harness.FileServerContract;

class BioTomcatServerTest extends FileServerContract {
    BioTomcatServerTest() {
        super(TomcatServer::new);
    }
}

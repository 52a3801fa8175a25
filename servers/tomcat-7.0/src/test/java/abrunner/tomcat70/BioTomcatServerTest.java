package abrunner.tomcat70;

import abrunner.harness.FileServerContract;

class BioTomcatServerTest extends FileServerContract {
    BioTomcatServerTest() {
        super(TomcatServer::new);
    }
}

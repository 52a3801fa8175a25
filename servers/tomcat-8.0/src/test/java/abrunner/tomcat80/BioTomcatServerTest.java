package abrunner.tomcat80;

import abrunner.harness.FileServerContract;

class BioTomcatServerTest extends FileServerContract {
    BioTomcatServerTest() {
        super(TomcatServer::new, "IO=bio");
    }
}

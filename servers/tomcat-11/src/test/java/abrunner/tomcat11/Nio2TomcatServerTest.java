package abrunner.tomcat11;

import abrunner.harness.FileServerContract;

class Nio2TomcatServerTest extends FileServerContract {
    Nio2TomcatServerTest() {
        super(TomcatServer::new, "IO=nio2");
    }
}

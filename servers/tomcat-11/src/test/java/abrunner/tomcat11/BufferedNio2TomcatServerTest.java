package abrunner.tomcat11;

import abrunner.harness.FileServerContract;

class BufferedNio2TomcatServerTest extends FileServerContract {
    BufferedNio2TomcatServerTest() {
        super(TomcatServer::new, "IO=nio2", "WRITE_BUFFER=large");
    }
}

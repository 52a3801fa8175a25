package abrunner.jdk;

import abrunner.harness.FileServerContract;

class JdkServerTest extends FileServerContract {
    JdkServerTest() {
        super(JdkServer::new);
    }
}

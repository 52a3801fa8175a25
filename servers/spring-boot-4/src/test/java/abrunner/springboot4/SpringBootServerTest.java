package abrunner.springboot4;

import abrunner.harness.FileServerContract;

class SpringBootServerTest extends FileServerContract {
    SpringBootServerTest() {
        super(SpringBootServer::new);
    }
}

package abrunner.vertx5;

import abrunner.harness.FileServerContract;

class VertxFilesTest extends FileServerContract {
    VertxFilesTest() {
        super(VertxServer::new);
    }
}

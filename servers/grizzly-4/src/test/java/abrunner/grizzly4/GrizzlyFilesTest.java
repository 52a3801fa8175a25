package abrunner.grizzly4;

import abrunner.harness.FileServerContract;

class GrizzlyFilesTest extends FileServerContract {
    GrizzlyFilesTest() {
        super(GrizzlyServer::new);
    }

    @Override
    protected boolean answersHead() {
        return false;
    }
}

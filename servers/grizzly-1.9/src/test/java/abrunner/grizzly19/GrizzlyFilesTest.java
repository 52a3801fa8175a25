package abrunner.grizzly19;

import abrunner.harness.FileServerContract;

class GrizzlyFilesTest extends FileServerContract {
    GrizzlyFilesTest() {
        super(GrizzlyServer::new);
    }

    @Override
    protected boolean tellsLastModified() {
        return false;
    }
}

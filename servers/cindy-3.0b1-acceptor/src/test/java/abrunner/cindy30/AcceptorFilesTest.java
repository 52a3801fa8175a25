package abrunner.cindy30;

import abrunner.harness.FileServerContract;

class AcceptorFilesTest extends FileServerContract {
    AcceptorFilesTest() {
        super(CindyServer::new);
    }
}

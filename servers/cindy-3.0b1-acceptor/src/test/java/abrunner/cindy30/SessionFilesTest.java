package abrunner.cindy30;

import abrunner.harness.FileServerContract;

class SessionFilesTest extends FileServerContract {
    SessionFilesTest() {
        super(CindyServer::new, "LISTENER=session");
    }
}

package abrunner.resin30;

import abrunner.harness.FileServerContract;

class ResinServerTest extends FileServerContract {
    ResinServerTest() {
        super(ResinServer::new);
    }

    @Override
    protected boolean keepsHttp10Alive() {
        return false;
    }
}

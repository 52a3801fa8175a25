package abrunner.helidon4;

import abrunner.harness.FileServerContract;

class HelidonServerTest extends FileServerContract {
    HelidonServerTest() {
        super(HelidonServer::new);
    }

    @Override
    protected boolean speaksHttp10() {
        return false;
    }

    @Override
    protected boolean closes() {
        return false;
    }
}

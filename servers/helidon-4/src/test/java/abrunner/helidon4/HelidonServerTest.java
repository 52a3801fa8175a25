package abrunner.helidon4;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class HelidonServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new HelidonServer(settings);
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

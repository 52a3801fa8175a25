package abrunner.resin40;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class ResinServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new ResinServer(settings);
    }

    @Override
    protected boolean keepsHttp10Alive() {
        return false;
    }
}

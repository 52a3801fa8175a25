package abrunner.cindy30;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class AcceptorFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new CindyServer(settings);
    }
}

package abrunner.grizzly4;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class GrizzlyFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new GrizzlyServer(settings);
    }

    @Override
    protected boolean answersHead() {
        return false;
    }
}

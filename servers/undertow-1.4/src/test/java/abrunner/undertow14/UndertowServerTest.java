package abrunner.undertow14;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class UndertowServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new UndertowServer(settings);
    }
}

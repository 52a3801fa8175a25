package abrunner.undertow14;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.undertow.UndertowServer;

class UndertowServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new UndertowServer(settings);
    }
}

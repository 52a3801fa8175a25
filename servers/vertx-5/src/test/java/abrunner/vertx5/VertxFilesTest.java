package abrunner.vertx5;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class VertxFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new VertxServer(settings);
    }
}

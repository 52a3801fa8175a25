package abrunner.netty42;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class NioFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }
}

package abrunner.netty40;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class NettyFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new NettyServer(settings);
    }
}

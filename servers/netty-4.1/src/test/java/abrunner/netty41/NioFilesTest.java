package abrunner.netty41;

import abrunner.harness.FileServerContract;

class NioFilesTest extends FileServerContract {
    NioFilesTest() {
        super(NettyMain::server);
    }
}

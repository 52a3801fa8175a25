package abrunner.netty42;

import abrunner.harness.FileServerContract;

class UncachedFilesTest extends FileServerContract {
    UncachedFilesTest() {
        super(NettyMain::server, "FILE_CACHE=off");
    }
}

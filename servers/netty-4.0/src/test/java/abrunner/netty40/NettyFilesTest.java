package abrunner.netty40;

import abrunner.harness.FileServerContract;

class NettyFilesTest extends FileServerContract {
    NettyFilesTest() {
        super(NettyServer::new);
    }
}

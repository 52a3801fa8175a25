package abrunner.netty32;

import abrunner.harness.FileServerContract;

class NettyFilesTest extends FileServerContract {
    NettyFilesTest() {
        super(NettyServer::new);
    }
}

package abrunner.netty42;

import abrunner.harness.FileServerContract;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class EpollFilesTest extends FileServerContract {
    EpollFilesTest() {
        super(NettyMain::server, "TRANSPORT=epoll");
    }
}

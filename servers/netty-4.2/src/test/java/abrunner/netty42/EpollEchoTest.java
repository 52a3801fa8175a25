package abrunner.netty42;

import abrunner.harness.EchoServerContract;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class EpollEchoTest extends EchoServerContract {
    EpollEchoTest() {
        super(NettyMain::server, "TRANSPORT=epoll");
    }
}

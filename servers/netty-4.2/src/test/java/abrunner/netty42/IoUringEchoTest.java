package abrunner.netty42;

import abrunner.harness.EchoServerContract;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.netty.channel.uring.IoUring#isAvailable")
class IoUringEchoTest extends EchoServerContract {
    IoUringEchoTest() {
        super(NettyMain::server, "TRANSPORT=io_uring");
    }
}

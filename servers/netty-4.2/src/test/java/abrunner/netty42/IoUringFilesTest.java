package abrunner.netty42;

import abrunner.harness.FileServerContract;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.netty.channel.uring.IoUring#isAvailable")
class IoUringFilesTest extends FileServerContract {
    IoUringFilesTest() {
        super(NettyMain::server, "TRANSPORT=io_uring");
    }
}

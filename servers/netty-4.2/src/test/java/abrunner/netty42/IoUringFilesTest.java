package abrunner.netty42;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.netty.channel.uring.IoUring#isAvailable")
class IoUringFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("TRANSPORT", "io_uring");
        return variant;
    }
}

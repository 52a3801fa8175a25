package abrunner.netty42;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class EpollFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("TRANSPORT", "epoll");
        return variant;
    }
}

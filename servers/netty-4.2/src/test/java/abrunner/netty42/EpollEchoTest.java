package abrunner.netty42;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class EpollEchoTest extends EchoServerContract {
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

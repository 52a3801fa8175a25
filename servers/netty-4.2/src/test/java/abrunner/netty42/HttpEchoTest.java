package abrunner.netty42;

import abrunner.harness.EchoServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class HttpEchoTest extends EchoServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("ECHO", "http");
        return variant;
    }
}

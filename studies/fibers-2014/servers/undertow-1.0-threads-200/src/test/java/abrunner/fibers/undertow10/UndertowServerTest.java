package abrunner.fibers.undertow10;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;
import java.util.Map;

class UndertowServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new UndertowServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("WORKER_THREADS", "8");
        return variant;
    }
}

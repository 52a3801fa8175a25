package abrunner.fibers.jdk;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;

class JdkServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new JdkServer(settings);
    }
}

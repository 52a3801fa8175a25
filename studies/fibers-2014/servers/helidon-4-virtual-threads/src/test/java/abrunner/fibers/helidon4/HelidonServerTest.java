package abrunner.fibers.helidon4;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;

class HelidonServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new HelidonServer(settings);
    }

    @Override
    protected boolean holdsThreads() {
        return false;
    }
}

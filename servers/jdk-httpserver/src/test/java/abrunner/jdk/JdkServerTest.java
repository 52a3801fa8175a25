package abrunner.jdk;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class JdkServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new JdkServer(settings);
    }
}

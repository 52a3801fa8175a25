package abrunner.springboot4;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;

class SpringBootServerTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return new SpringBootServer(settings);
    }
}

package abrunner.robaho10;

import static org.junit.jupiter.api.Assertions.assertEquals;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.VirtualThreadsContract;
import com.sun.net.httpserver.spi.HttpServerProvider;
import org.junit.jupiter.api.Test;

class RobahoServerTest extends VirtualThreadsContract {
    @Override
    protected Server server(Settings settings) {
        return RobahoMain.server(settings);
    }

    @Test
    void isNotTheServerOfTheJdk() {
        assertEquals("robaho.net.httpserver", HttpServerProvider.provider().getClass().getPackageName());
    }
}

package abrunner.robaho10;

import static org.junit.jupiter.api.Assertions.assertEquals;

import abrunner.harness.VirtualThreadsContract;
import com.sun.net.httpserver.spi.HttpServerProvider;
import org.junit.jupiter.api.Test;

class RobahoServerTest extends VirtualThreadsContract {
    RobahoServerTest() {
        super(RobahoMain::server);
    }

    @Test
    void isNotTheServerOfTheJdk() {
        assertEquals("robaho.net.httpserver", HttpServerProvider.provider().getClass().getPackageName());
    }
}

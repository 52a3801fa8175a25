package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.util.Collections;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LauncherTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void saysWhenReady() throws IOException {
        int port = RawClient.freePort();
        assertEquals(Launcher.STARTED, run(port, settings -> () -> assertEquals("", out.toString())));
        assertEquals("ready on port " + port + "\n", out.toString());
        assertEquals("", err.toString());
    }

    @Test
    void tellsInvalidSettingsInOneLine() {
        assertEquals(Launcher.INVALID_SETTING, run("http", settings -> () -> { }));
        assertEquals("PORT must be a whole number from 1 to 65535, not 'http'\n", err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void tellsInvalidSettingsOfTheServerItself() {
        assertEquals(Launcher.INVALID_SETTING, run("1", settings -> {
            throw new InvalidSetting("no such variant");
        }));
        assertEquals("no such variant\n", err.toString());
    }

    @Test
    void tellsPortInUseInOneLine() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            int port = other.getLocalPort();
            assertEquals(Launcher.FAILED, run(port, settings -> () -> {
                throw new AssertionError("started on a port in use");
            }));
            assertEquals("cannot listen on port " + port + ": Address already in use", firstLine());
        }
        assertEquals("", out.toString());
    }

    @Test
    void tellsWhatElseWentWrong() throws IOException {
        assertEquals(Launcher.FAILED, run(RawClient.freePort(), settings -> () -> {
            throw new IOException("out of luck");
        }));
        assertEquals("java.io.IOException: out of luck", firstLine());
        assertEquals("", out.toString());
    }

    @Test
    void leavesPortFreeForTheServer() throws IOException {
        int port = RawClient.freePort();
        assertEquals(Launcher.STARTED, run(port, settings -> () -> {
            try (ServerSocket own = new ServerSocket(settings.port())) {
                assertTrue(own.isBound());
            }
        }));
    }

    private int run(Object port, Function<Settings, Server> constructor) {
        return Launcher.run(constructor, Collections.singletonMap("PORT", port.toString()), new PrintStream(out),
                new PrintStream(err));
    }

    private String firstLine() {
        return err.toString().split("\n")[0];
    }
}

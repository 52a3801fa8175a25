package abrunner.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LauncherTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void saysWhenReady() throws IOException {
        int port = Connection.freePort();
        assertEquals(Launcher.STARTED, run(port, () -> assertEquals("", out.toString())));
        assertEquals("ready on port " + port + "\n", out.toString());
        assertEquals("", err.toString());
    }

    @Test
    void tellsInvalidSettingsInOneLine() {
        assertEquals(Launcher.INVALID_SETTING, run("http", () -> { }));
        assertEquals("PORT must be a whole number from 1 to 65535, not 'http'\n", err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void tellsPortInUseInOneLine() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            int port = other.getLocalPort();
            assertEquals(Launcher.FAILED, run(port, () -> {
                throw new AssertionError("started on a port in use");
            }));
            assertEquals("cannot listen on port " + port + ": Address already in use", firstLine());
        }
        assertEquals("", out.toString());
    }

    @Test
    void tellsWhatElseWentWrong() throws IOException {
        assertEquals(Launcher.FAILED, run(Connection.freePort(), () -> {
            throw new IOException("out of luck");
        }));
        assertEquals("java.io.IOException: out of luck", firstLine());
    }

    private int run(Object port, Server server) {
        return Launcher.run(settings -> server, Map.of("PORT", port.toString()), new PrintStream(out),
                new PrintStream(err));
    }

    private String firstLine() {
        return err.toString().split("\n")[0];
    }
}

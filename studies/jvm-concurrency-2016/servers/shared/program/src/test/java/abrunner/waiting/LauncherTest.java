package abrunner.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LauncherTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void tellsInvalidSettingsInOneLine() {
        assertEquals(Launcher.INVALID_SETTING, run("http", settings -> () -> { }));
        assertEquals("PORT must be a whole number from 1 to 65535, not 'http'\n", err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void tellsInvalidSettingsOfTheServerItself() {
        assertEquals(Launcher.INVALID_SETTING, run("1", settings -> {
            throw new InvalidSetting("no such handler");
        }));
        assertEquals("no such handler\n", err.toString());
    }

    @Test
    void tellsPortInUseInOneLine() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            assertEquals(Launcher.FAILED, run(Integer.toString(other.getLocalPort()), settings -> () -> {
                throw new AssertionError("started on a port in use");
            }));
            assertEquals("cannot listen on port " + other.getLocalPort() + ": Address already in use\n", err.toString());
        }
    }

    @Test
    void isNotReadyUntilItAnswers() throws IOException {
        HttpServer server = HttpServer.create();
        assertEquals(Launcher.FAILED, run(Integer.toString(freePort()), settings -> () -> {
            server.bind(settings.address(), 0);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(500, -1);
                exchange.close();
            });
            server.start();
        }));
        server.stop(0);
        assertTrue(err.toString().startsWith("java.io.IOException: the first answer was 500"), err.toString());
        assertEquals("", out.toString());
    }

    private int run(String port, Function<Settings, Server> constructor) {
        return Launcher.run(constructor, Map.of("ADDRESS", "127.0.0.1", "PORT", port), new PrintStream(out),
                new PrintStream(err));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}

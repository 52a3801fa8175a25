package abrunner.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FirstRequestTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void isNotReadyUntilItAnswers() throws IOException {
        HttpServer server = HttpServer.create();
        assertEquals(Launcher.FAILED, run(settings -> () -> {
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

    private int run(Function<Settings, Server> constructor) throws IOException {
        String port = Integer.toString(WaitContract.freePort());
        Map<String, String> environment = Map.of("ADDRESS", "127.0.0.1", "PORT", port);
        return Launcher.run(FirstRequest.after(constructor), environment, new PrintStream(out), new PrintStream(err));
    }
}

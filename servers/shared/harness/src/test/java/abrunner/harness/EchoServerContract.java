package abrunner.harness;

import static abrunner.harness.Dates.assertRecent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What every echo server has to do, tried on the real one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class EchoServerContract {
    private static final String ALIVE = "GET /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
    private static final String LAST = "GET /echo HTTP/1.0\r\n\r\n";

    private int port;

    /** Makes the server that is tried. */
    protected abstract Server server(Settings settings);

    /** The variables that choose the variant that is tried. */
    protected Map<String, String> variant() {
        return new HashMap<>();
    }

    @BeforeAll
    void start(@TempDir Path docroot) throws Exception {
        port = RawClient.freePort();
        Map<String, String> environment = variant();
        environment.put("ADDRESS", "127.0.0.1");
        environment.put("PORT", Integer.toString(port));
        // For servers that serve files, too.
        environment.put("DOCROOT", docroot.toString());
        Launcher.keepOnlyWarnings();
        server(Settings.from(environment)).start();
    }

    @Test
    void listensNowhereElse() {
        assertFalse(RawClient.listens("127.0.0.2", port));
    }

    @Test
    void echoesHeadAndCloses() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(LAST);
            RawClient.Answer answer = assertEcho(LAST, client);
            assertEquals("text/plain", answer.field("Content-Type"));
            assertEquals("close", answer.field("Connection"));
            assertRecent(answer.field("Date"));
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void keepsConnectionOnRequest() throws IOException {
        try (RawClient client = new RawClient(port)) {
            for (int i = 0; i < 200; i++) {
                client.send(ALIVE);
                String connection = assertEcho(ALIVE, client).field("Connection");
                assertEquals("keep-alive", String.valueOf(connection).toLowerCase(Locale.ROOT));
            }
        }
    }

    @Test
    void takesHeadByteByByte() throws IOException {
        try (RawClient client = new RawClient(port)) {
            for (char character : LAST.toCharArray()) {
                client.send(String.valueOf(character));
            }
            assertEcho(LAST, client);
        }
    }

    @Test
    void answersPipelinedRequests() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(ALIVE + ALIVE + LAST);
            assertEcho(ALIVE, client);
            assertEcho(ALIVE, client);
            assertEcho(LAST, client);
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void writesAllBeforeItCloses() throws Exception {
        int count = 20_000;
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append(ALIVE);
        }
        try (RawClient client = new RawClient(port)) {
            // From another thread: a server may well stop reading while nobody reads its answers.
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> sendQuietly(client, requests + LAST));
            Thread.sleep(200);
            for (int i = 0; i < count; i++) {
                assertEcho(ALIVE, client);
            }
            assertEcho(LAST, client);
            assertTrue(client.isClosedByServer());
            sent.get();
        }
    }

    @Test
    void takesLongHead() throws IOException {
        String head = "GET /echo HTTP/1.0\r\nX-Long: " + new String(new char[8192]).replace('\0', 'x') + "\r\n\r\n";
        try (RawClient client = new RawClient(port)) {
            client.send(head);
            assertEcho(head, client);
            assertTrue(client.isClosedByServer());
        }
    }

    private static void sendQuietly(RawClient client, String text) {
        try {
            client.send(text);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static RawClient.Answer assertEcho(String head, RawClient client) throws IOException {
        RawClient.Answer answer = client.answer();
        assertEquals(200, answer.status());
        assertArrayEquals(head.getBytes(StandardCharsets.ISO_8859_1), answer.body());
        return answer;
    }
}

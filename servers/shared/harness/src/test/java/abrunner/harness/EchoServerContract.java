package abrunner.harness;

import static abrunner.harness.Dates.assertRecent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every echo server has to do, tried on the real one. */
public abstract class EchoServerContract extends ServerContract {
    private static final String ALIVE = "GET /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
    private static final String LAST = "GET /echo HTTP/1.0\r\n\r\n";

    /** The server, and the variables that choose the variant that is tried: "A=x", "B=y". */
    protected EchoServerContract(Function<Settings, Server> constructor, String... variables) {
        super(constructor, variables);
    }

    @BeforeAll
    void startOnNoFiles(@TempDir Path docroot) throws Exception {
        // For servers that serve files, too.
        start(docroot);
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

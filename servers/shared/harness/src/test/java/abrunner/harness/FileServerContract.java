package abrunner.harness;

import static abrunner.harness.Dates.assertRecent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every file server has to do, tried on the real one. */
public abstract class FileServerContract extends ServerContract {
    private static final String SECRET = "kept outside the document root";

    private static final Instant MODIFIED = Instant.parse("2006-03-04T05:06:07Z");

    private final byte[] small = randomBytes(100);
    private final byte[] large = randomBytes(947_111);

    /** The server, and the variables that choose the variant that is tried: "A=x", "B=y". */
    protected FileServerContract(Function<Settings, Server> constructor, String... variables) {
        super(constructor, variables);
    }

    /** Whether the server answers HTTP/1.0 at all. */
    protected boolean speaksHttp10() {
        return true;
    }

    /** Whether the server knows HTTP/1.0's keep-alive at all. */
    protected boolean keepsHttp10Alive() {
        return true;
    }

    /** Whether the server closes a connection after the request that asks for it. */
    protected boolean closes() {
        return true;
    }

    /** Whether the server answers HEAD at all. */
    protected boolean answersHead() {
        return true;
    }

    /** Whether the server tells when a file was modified. */
    protected boolean tellsLastModified() {
        return true;
    }

    @BeforeAll
    void startOnFiles(@TempDir Path folder) throws Exception {
        Path docroot = Files.createDirectory(folder.resolve("docroot"));
        write(docroot.resolve("small.html"), small);
        write(docroot.resolve("large.bin"), large);
        Files.createDirectory(docroot.resolve("sub"));
        Files.write(folder.resolve("secret.txt"), SECRET.getBytes(StandardCharsets.US_ASCII));
        start(docroot);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0", "HTTP/1.1"})
    void servesBytes(String version) throws IOException {
        assumeTrue(speaksHttp10() || !version.equals("HTTP/1.0"));
        assertArrayEquals(small, get("/small.html", version));
        assertArrayEquals(large, get("/large.bin", version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/small.html", "/large.bin"})
    void tellsDates(String path) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send("GET " + path + " " + last());
            RawClient.Answer answer = client.answer();
            assertRecent(answer.field("Date"));
            if (tellsLastModified()) {
                assertEquals(MODIFIED, Dates.parse(answer.field("Last-Modified")));
            }
        }
    }

    @Test
    void tellsLengthOnHead() throws IOException {
        assumeTrue(answersHead());
        try (RawClient client = new RawClient(port)) {
            client.send("HEAD /large.bin " + last());
            RawClient.Answer answer = client.head();
            assertEquals(200, answer.status());
            assertEquals("947111", answer.field("Content-Length"));
            endUnlessServerDoes(client);
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void keepsHttp10ConnectionOnRequest() throws IOException {
        assumeTrue(speaksHttp10() && keepsHttp10Alive());
        try (RawClient client = new RawClient(port)) {
            for (int i = 0; i < 3; i++) {
                client.send("GET /small.html HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
                RawClient.Answer answer = client.answer();
                assertEquals("keep-alive", String.valueOf(answer.field("Connection")).toLowerCase());
                assertArrayEquals(small, answer.body());
            }
        }
    }

    @Test
    void closesConnectionAfterLastRequest() throws IOException {
        assumeTrue(closes());
        try (RawClient client = new RawClient(port)) {
            client.send("GET /small.html " + last());
            assertArrayEquals(small, client.answer().body());
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void keepsHttp11Connection() throws IOException {
        try (RawClient client = new RawClient(port)) {
            for (int i = 0; i < 3; i++) {
                client.send("GET /small.html HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertArrayEquals(small, client.answer().body());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 13})
    void takesRequestInTwoPackets(int cut) throws IOException {
        String request = "GET /small.html " + last();
        try (RawClient client = new RawClient(port)) {
            client.send(request.substring(0, cut));
            pause();
            client.send(request.substring(cut));
            assertArrayEquals(small, client.answer().body());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/missing.html", "/sub/missing.html", "/small.html/x"})
    void doesNotFindWhatIsNotThere(String path) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send("GET " + path + " " + last());
            assertEquals(404, client.head().status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/../secret.txt", "/sub/../../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt",
            "/%2e%2e%2fsecret.txt", "/..%5csecret.txt", "/..\\secret.txt", "/%252e%252e%252fsecret.txt",
            "/%252e%252e/secret.txt", "/..;/secret.txt", "//../secret.txt", "/.%00./secret.txt",
            "/..%c0%afsecret.txt", "http://localhost/../secret.txt", "../secret.txt", "/sub/%2e%2e/%2e%2e/secret.txt"})
    void servesNothingOutsideDocumentRoot(String path) throws IOException {
        for (String version : new String[] {"HTTP/1.0\r\n", "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"}) {
            try (RawClient client = new RawClient(port)) {
                client.send("GET " + path + " " + version + "\r\n");
                endUnlessServerDoes(client);
                String all = client.rest();
                assertFalse(all.contains(SECRET), all);
                assertFalse(all.startsWith("HTTP/1.1 200") || all.startsWith("HTTP/1.0 200"), all);
            }
        }
    }

    /** The rest of a request that ends its connection; with HTTP/1.0 every one does that does not ask otherwise. */
    private String last() {
        return speaksHttp10() ? "HTTP/1.0\r\n\r\n" : "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    }

    private void endUnlessServerDoes(RawClient client) throws IOException {
        if (!closes()) {
            client.end();
        }
    }

    private byte[] get(String path, String version) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send("GET " + path + " " + version + "\r\nHost: localhost\r\n\r\n");
            RawClient.Answer answer = client.answer();
            assertEquals(200, answer.status());
            return answer.body();
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        Files.write(file, content);
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}

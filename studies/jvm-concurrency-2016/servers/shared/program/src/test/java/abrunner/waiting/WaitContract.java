package abrunner.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every program has to do, tried on the real one in each of its modes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class WaitContract {
    private static final int PATIENCE_MILLIS = 10_000;
    /** More than Tomcat allows on a connection as shipped. */
    private static final int REQUESTS_ON_A_CONNECTION = 120;
    private static final String REQUEST = "GET /wait?ms=0 HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final Function<Settings, Server> constructor;
    private final String[] modes;
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** The program, and its modes: variables as a shell has them, "A=x B=y". */
    protected WaitContract(Function<Settings, Server> constructor, String... modes) {
        this.constructor = constructor;
        this.modes = modes;
    }

    /** Whether the program says no length, but answers in chunks. */
    protected boolean isChunked() {
        return false;
    }

    /** Whether in this mode more requests wait at once than there are threads. */
    protected boolean isUnlimited(String mode) {
        return false;
    }

    @BeforeAll
    void start() throws IOException {
        for (String mode : modes) {
            int port = freePort();
            Map<String, String> environment = environment(mode);
            environment.put("ADDRESS", "127.0.0.1");
            environment.put("PORT", Integer.toString(port));
            Launcher.keepOnlyWarnings();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertEquals(Launcher.STARTED,
                    Launcher.run(FirstRequest.after(constructor), environment, new PrintStream(out), System.err), mode);
            assertEquals("ready on port " + port + "\n", out.toString());
            ports.put(mode, port);
        }
    }

    final Stream<Arguments> modes() {
        return ports.entrySet().stream().map(mode -> Arguments.of(mode.getKey(), mode.getValue()));
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void answersWithTheText(String mode, int port) throws Exception {
        for (int millis : new int[] {0, 1, 20}) {
            HttpResponse<String> answer = ask(port, "/wait?ms=" + millis);
            assertEquals(200, answer.statusCode());
            assertEquals("Hello, World!", answer.body());
            assertEquals(Optional.of("text/plain"), answer.headers().firstValue("Content-Type"));
            assertTrue(answer.headers().firstValue("Date").isPresent());
            assertEquals(isChunked() ? Optional.empty() : Optional.of("13"),
                    answer.headers().firstValue("Content-Length"));
        }
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void answersNoEarlier(String mode, int port) throws Exception {
        for (int i = 0; i < 30; i++) {
            long start = System.nanoTime();
            ask(port, "/wait?ms=100");
            double millis = (System.nanoTime() - start) / 1e6;
            assertTrue(millis >= 100, millis + " ms");
        }
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void waitsForSeveralAtOnce(String mode, int port) {
        double millis = atOnce(port, 20, 100);
        assertTrue(millis < 1000, millis + " ms");
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void waitsForMoreThanItHasThreads(String mode, int port) {
        assumeTrue(isUnlimited(mode));
        // With 16 threads at most, each would wait seven times.
        double millis = atOnce(port, 100, 500);
        assertTrue(millis < 3000, millis + " ms");
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void refusesWrongWaits(String mode, int port) throws Exception {
        for (String query : List.of("", "?", "?ms", "?ms=", "?ms=-1", "?ms=1.5", "?ms=x", "?ms=600001", "?ms=99999999999",
                "?sm=1")) {
            assertEquals(400, ask(port, "/wait" + query).statusCode(), query);
        }
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void findsNothingElse(String mode, int port) throws Exception {
        for (String path : List.of("/", "/waiting?ms=0", "/wait/1?ms=0", "/hello")) {
            assertEquals(404, ask(port, path).statusCode(), path);
        }
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void keepsConnection(String mode, int port) throws IOException {
        String end = isChunked() ? Wait.TEXT + "\r\n0\r\n\r\n" : Wait.TEXT;
        try (Socket socket = connect("127.0.0.1", port)) {
            for (int i = 0; i < REQUESTS_ON_A_CONNECTION; i++) {
                socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
                String answer = readUntil(end, socket.getInputStream());
                assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
                assertFalse(answer.contains("close"), answer);
            }
        }
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("modes")
    final void listensNowhereElse(String mode, int port) {
        try (Socket socket = connect("127.0.0.2", port)) {
            throw new AssertionError("somebody listens: " + socket);
        } catch (IOException nobody) {
            // As it should be.
        }
    }

    /** How long it takes until so many requests that are sent at once are answered. */
    private double atOnce(int port, int requests, int millis) {
        long start = System.nanoTime();
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, requests)
                .mapToObj(i -> client.sendAsync(request(port, "/wait?ms=" + millis), BodyHandlers.ofString()))
                .toList();
        answers.forEach(answer -> assertEquals(200, answer.join().statusCode()));
        return (System.nanoTime() - start) / 1e6;
    }

    private HttpResponse<String> ask(int port, String target) throws IOException, InterruptedException {
        return client.send(request(port, target), BodyHandlers.ofString());
    }

    private static HttpRequest request(int port, String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .timeout(Duration.ofMillis(PATIENCE_MILLIS))
                .build();
    }

    private static Socket connect(String address, int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(address, port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static String readUntil(String end, InputStream in) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.length() < end.length() || read.lastIndexOf(end) != read.length() - end.length()) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("closed after '" + read + "'");
            }
            read.append((char) b);
        }
        return read.toString();
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Map<String, String> environment(String mode) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : mode.split(" ")) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }
}

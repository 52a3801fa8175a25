package abrunner.tomcattuning;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program does, tried on the distribution itself. */
class MainTest {
    private static final int BODY_BYTES = 11_230;
    private static final Duration STOP = Duration.ofSeconds(2);

    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    /** Tomcat gives a connection a processor for as long as it has sent a part of its first request. */
    private static final String BEGINNING = REQUEST.substring(0, 10);
    private static final String REST = REQUEST.substring(10);

    @TempDir
    private Path folder;

    @Test
    void answersAsShipped() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of()).awaitReady()) {
            assertEquals(List.of(tomcat.port()), tomcat.listeningPorts());

            HttpResponse<byte[]> answer = tomcat.get("/");
            assertPage(answer, BODY_BYTES);
            assertTrue(new String(answer.body(), StandardCharsets.UTF_8).contains("Apache Tomcat/8.5.14"));
            assertArrayEquals(answer.body(), tomcat.get("/").body());
            HttpResponse<byte[]> asked = tomcat.get("/", "Accept-Encoding", "gzip");
            assertEquals(Optional.empty(), asked.headers().firstValue("Content-Encoding"));
            assertArrayEquals(answer.body(), asked.body());

            // Of the applications that are shipped only ROOT is there.
            for (String path : List.of("/nothing", "/docs/", "/examples/", "/manager/html", "/host-manager/html")) {
                assertEquals(404, tomcat.get(path).statusCode());
            }
            closesConnectionsAfterAHundredRequests(tomcat);

            assertEquals("connector: acceptCount 5000, maxConnections 20000, maxThreads 200, minSpareThreads 10, "
                    + "processorCache 200, compression off, maxKeepAliveRequests 100", tomcat.output().get(1));
            assertEquals("processors 0, created 0, threads 10", tomcat.output().get(2));
        }
    }

    private static void closesConnectionsAfterAHundredRequests(RunningTomcat tomcat) throws IOException {
        try (Socket socket = tomcat.connect()) {
            for (int i = 1; i <= 100; i++) {
                RunningTomcat.send(socket, REQUEST);
                assertEquals(i == 100, RunningTomcat.readAnswer(socket).contains("Connection: close"));
            }
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void compressesWhereAsked() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of("COMPRESSION", "on")).awaitReady()) {
            HttpResponse<byte[]> plain = tomcat.get("/");
            assertPage(plain, BODY_BYTES);
            assertEquals(Optional.empty(), plain.headers().firstValue("Content-Encoding"));

            HttpResponse<byte[]> packed = tomcat.get("/", "Accept-Encoding", "gzip");
            assertPage(packed, packed.body().length);
            assertEquals(Optional.of("gzip"), packed.headers().firstValue("Content-Encoding"));
            assertTrue(packed.body().length < 3_000);
            assertArrayEquals(plain.body(), new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes());
        }
    }

    private static void assertPage(HttpResponse<byte[]> answer, int bytes) {
        HttpHeaders headers = answer.headers();
        assertEquals(200, answer.statusCode());
        assertEquals(Optional.of("text/html;charset=UTF-8"), headers.firstValue("Content-Type"));
        assertEquals(Optional.of("chunked"), headers.firstValue("Transfer-Encoding"));
        assertEquals(Optional.empty(), headers.firstValue("Content-Length"));
        assertEquals(bytes, answer.body().length);
    }

    @Test
    void countsThreads() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of("MIN_SPARE_THREADS", "500")).awaitReady()) {
            tomcat.awaitLastLine("processors 0, created 0, threads 500");
            assertTrue(tomcat.output().get(1).contains(", maxThreads 500, minSpareThreads 500, "));
        }
    }

    @Test
    void countsProcessors() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of("PROCESSOR_CACHE", "2")).awaitReady()) {
            assertTrue(tomcat.output().get(1).contains(", processorCache 2, "));
            List<Socket> connections = begin(tomcat);
            tomcat.awaitLastLine("processors 5, created 5, threads 10");
            finish(connections);
            // So many are kept, and used again, and others are created anew.
            tomcat.awaitLastLine("processors 2, created 5, threads 10");
            connections = begin(tomcat);
            tomcat.awaitLastLine("processors 5, created 8, threads 10");
            finish(connections);
            tomcat.awaitLastLine("processors 2, created 8, threads 10");
        }
    }

    /** Five connections with the beginning of a request each. */
    private static List<Socket> begin(RunningTomcat tomcat) throws IOException {
        List<Socket> connections = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            connections.add(tomcat.connect());
            RunningTomcat.send(connections.get(i), BEGINNING);
        }
        return connections;
    }

    private static void finish(List<Socket> connections) throws IOException {
        for (Socket connection : connections) {
            RunningTomcat.send(connection, REST);
            RunningTomcat.readAnswer(connection);
            connection.close();
        }
    }

    @Test
    void stopsInTimeAndLeavesNothing() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of()).awaitReady(); Socket idle = tomcat.connect()) {
            RunningTomcat.send(idle, REQUEST);
            RunningTomcat.readAnswer(idle);
            List<Path> bases = tomcat.bases();
            assertEquals(1, bases.size());
            Path work = bases.get(0).resolve("work/Catalina/localhost/ROOT/org/apache/jsp");
            assertTrue(Files.exists(work.resolve("index_jsp.class")));
            // On Java 25 a listener of 2017 fails at the start, and nothing else does.
            int said = tomcat.errors().length();

            Duration stop = tomcat.stop();
            assertTrue(stop.compareTo(STOP) < 0, stop.toString());
            assertEquals(List.of(), tomcat.bases());
            String errors = tomcat.errors().substring(said);
            assertFalse(errors.contains("Exception"), errors);
            assertFalse(errors.contains("cannot delete"), errors);
        }
    }

    @Test
    void stopsInTimeWhileItWorks() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of()).awaitReady(); Socket busy = tomcat.connect()) {
            Files.writeString(tomcat.bases().get(0).resolve("webapps/ROOT/slow.jsp"),
                    "<% response.flushBuffer(); Thread.sleep(60000); %>");
            RunningTomcat.send(busy, REQUEST.replace("/ ", "/slow.jsp "));
            // The head of the answer: the page is at work now.
            assertEquals('H', busy.getInputStream().read());

            Duration stop = tomcat.stop();
            assertTrue(stop.compareTo(STOP) < 0, stop.toString());
            assertEquals(List.of(), tomcat.bases());
        }
    }

    @Test
    void tellsInvalidSettingsInOneLine() throws Exception {
        try (RunningTomcat tomcat = new RunningTomcat(folder, Map.of("COMPRESSION", "force"))) {
            assertEquals(2, tomcat.awaitEnd());
            assertEquals("COMPRESSION must be on or off, not 'force'\n", tomcat.errors());
            assertEquals(List.of(), tomcat.output());
            assertEquals(List.of(), tomcat.bases());
        }
    }

    @Test
    void endsWhereItCannotListen() throws Exception {
        try (ServerSocket other = new ServerSocket(0);
                RunningTomcat tomcat = new RunningTomcat(folder, other.getLocalPort(), Map.of())) {
            assertEquals(1, tomcat.awaitEnd());
            assertTrue(tomcat.errors().contains("cannot listen on port " + tomcat.port() + ": Tomcat's log has the reason"));
            assertTrue(tomcat.errors().contains("Address already in use"));
            assertEquals(List.of(), tomcat.output());
        }
    }
}

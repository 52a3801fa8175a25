package abrunner.springboot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.harness.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** What every application has to do, tried on the real one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ApplicationContract {
    /** In an expected head: any date, all of which are of 29 characters. */
    protected static final String DATE = "Date: ...";

    /** What wrk sends, and no more. */
    private static final String REQUEST = "GET /api/test HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    private static final int PATIENCE_MILLIS = 10_000;
    private static final long STOP_MILLIS = 2_000;

    private final Function<Settings, SpringApplication> constructor;
    private final int bytes;
    private final String answer;

    private ConfigurableApplicationContext context;
    private int port;

    /** The application, and the head of its answer with as many bytes as head and body have. */
    protected ApplicationContract(Function<Settings, SpringApplication> constructor, int bytes, String... head) {
        this.constructor = constructor;
        this.bytes = bytes;
        this.answer = String.join("\r\n", head) + "\r\n\r\nThis is a test result.";
    }

    /** The variables that choose the variant that is tried. */
    protected Map<String, String> variant() {
        return new HashMap<>();
    }

    @BeforeAll
    void start() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Map<String, String> environment = variant();
        environment.put("ADDRESS", "127.0.0.1");
        environment.put("PORT", Integer.toString(port));
        context = Launcher.start(constructor, Settings.from(environment));
    }

    @AfterAll
    void stopsInTime() throws InterruptedException {
        long start = System.nanoTime();
        context.close();
        while (listens("127.0.0.1")) {
            assertTrue(Duration.ofNanos(System.nanoTime() - start).toMillis() < STOP_MILLIS, "it still listens");
            Thread.sleep(10);
        }
    }

    @Test
    void answersWithTheseBytesAndNoOthers() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            InputStream in = socket.getInputStream();
            // One byte more than there should be would be the first of the next answer.
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
                String read = new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
                assertEquals(answer, read.replaceFirst("\r\nDate: .{29}\r\n", "\r\n" + DATE + "\r\n"));
            }
        }
    }

    @Test
    void listensNowhereElse() {
        assertTrue(listens("127.0.0.1"));
        assertFalse(listens("127.0.0.2"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void answersOnVirtualThreadsOnRequestOnly(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("threads.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadStart");
            recording.start();
            answersWithTheseBytesAndNoOthers();
            recording.stop();
            recording.dump(file);
        }
        assertEquals("true".equals(variant().get("VIRTUAL_THREADS")), !RecordingFile.readAllEvents(file).isEmpty());
    }

    private boolean listens(String address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), PATIENCE_MILLIS);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }
}

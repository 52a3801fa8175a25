package abrunner.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every program has to do, tried on the real one. Each test starts one: some never work again afterwards. */
public abstract class ServiceContract {
    /** More than the threads of the pool. */
    private static final int REQUESTS = 32;
    private static final int SLOW_MILLIS = 1_000;
    /** In which a request that needs neither B nor a queue is answered. */
    private static final int SOON_MILLIS = 500;

    private final List<Connection> connections = new ArrayList<>();

    private final Function<Settings, Server> constructor;
    private final boolean holdsThreads;
    private final Map<String, String> variables = new HashMap<>(Map.of("ADDRESS", "127.0.0.1", "THREADS", "16"));

    /**
     * The program, whether a request holds a thread of a pool while A and B take their time, and the variables that choose
     * the variant: "A=x", "B=y".
     */
    protected ServiceContract(Function<Settings, Server> constructor, boolean holdsThreads, String... variables) {
        this.constructor = constructor;
        this.holdsThreads = holdsThreads;
        for (String variable : variables) {
            String[] parts = variable.split("=", 2);
            this.variables.put(parts[0], parts[1]);
        }
    }

    @AfterEach
    void closeConnections() throws IOException {
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @Test
    void answersOnKeptConnection() throws Exception {
        Connection connection = connect(start());
        for (String path : List.of("/service?sleep=0", "/service?sleep=1", "/internal?sleep=1", "/service", "/internal")) {
            Connection.Response response = connection.get(path);
            assertTrue(response.statusLine().startsWith("HTTP/1.1 200"), response.statusLine());
            assertEquals("text/plain", response.fields().get("content-type"));
            assertEquals("Hello, World!", response.body());
        }
    }

    @Test
    void takesAsLongAsItsServices() throws Exception {
        Connection connection = connect(start());
        for (int i = 0; i < 20; i++) {
            assertTakes(10, connection, "/service?sleep=0");
            assertTakes(60, connection, "/service?sleep=50");
            assertTakes(30, connection, "/internal?sleep=30");
        }
    }

    @Test
    void answersWhileThreadsAreFree() throws Exception {
        int port = start();
        Connection slow = connect(port);
        slow.ask("/service?sleep=" + SLOW_MILLIS);
        assertEquals(200, askWithoutB(port).response(SOON_MILLIS).status());
        assertEquals(200, slow.response(Connection.PATIENCE_MILLIS).status());
    }

    @Test
    void collapsesOnlyIfRequestsHoldThreads() throws Exception {
        int port = start();
        List<Connection> slow = askMoreThanThereAreThreads(port);
        Connection withoutB = askWithoutB(port);
        if (holdsThreads) {
            assertThrows(SocketTimeoutException.class, () -> withoutB.response(SOON_MILLIS));
        } else {
            assertEquals(200, withoutB.response(SOON_MILLIS).status());
            assertAllAnswered(slow);
        }
    }

    @Test
    void queuesAtMostIfServicesAreElsewhere() throws Exception {
        int elsewhere = start();
        int port = start("127.0.0.1:" + elsewhere);
        List<Connection> slow = askMoreThanThereAreThreads(port);
        Connection withoutB = askWithoutB(port);
        assertEquals(200, withoutB.response(Connection.PATIENCE_MILLIS).status());
        assertAllAnswered(slow);
    }

    @Test
    void tellsThatServicesFailed() throws Exception {
        int notListening = Connection.freePort();
        int port = start("127.0.0.1:" + notListening, false);
        assertEquals(500, connect(port).get("/service?sleep=0").status());
        assertEquals(200, connect(port).get("/internal?sleep=0").status());
    }

    @Test
    void refusesSleepThatIsNoTime() throws Exception {
        int port = start();
        for (String path : List.of("/service?sleep=long", "/internal?sleep=-1", "/internal?sleep=600001")) {
            // Some servers close a connection after that.
            assertEquals(400, connect(port).get(path).status(), path);
        }
    }

    private int start() throws Exception {
        return start(null);
    }

    private int start(String services) throws Exception {
        return start(services, true);
    }

    /** Starts a server, and has it load what it needs for its first answer. */
    private int start(String services, boolean servicesAnswer) throws Exception {
        int port = Connection.freePort();
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("PORT", Integer.toString(port));
        if (services != null) {
            environment.put("SERVICES", services);
        }
        Launcher.keepOnlyWarnings();
        constructor.apply(Settings.from(environment)).start();
        if (servicesAnswer) {
            assertEquals(200, connect(port).get("/service?sleep=1").status());
        }
        return port;
    }

    private Connection connect(int port) throws IOException {
        Connection connection = new Connection(port);
        connections.add(connection);
        return connection;
    }

    private List<Connection> askMoreThanThereAreThreads(int port) throws Exception {
        List<Connection> slow = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            slow.add(connect(port));
        }
        for (Connection connection : slow) {
            connection.ask("/service?sleep=" + SLOW_MILLIS);
        }
        // Until all are under way, and long before B answers the first.
        Thread.sleep(200);
        return slow;
    }

    private Connection askWithoutB(int port) throws IOException {
        Connection connection = connect(port);
        connection.ask("/service?sleep=0");
        return connection;
    }

    private static void assertAllAnswered(List<Connection> connections) throws IOException {
        for (Connection connection : connections) {
            assertEquals(200, connection.response(Connection.PATIENCE_MILLIS).status());
        }
    }

    private static void assertTakes(int millis, Connection connection, String path) throws IOException {
        long start = System.nanoTime();
        assertEquals(200, connection.get(path).status());
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(taken.compareTo(Duration.ofMillis(millis)) >= 0, path + " took only " + taken);
    }
}

package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every server has to do, tried on the real one, which is started once for all tests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ServerContract {
    /** Where the server listens. */
    protected int port;

    private final Function<Settings, Server> constructor;
    private final Map<String, String> variables = new HashMap<>();

    /** The server, and the variables that choose the variant that is tried: "A=x", "B=y". */
    ServerContract(Function<Settings, Server> constructor, String... variables) {
        this.constructor = constructor;
        for (String variable : variables) {
            String[] parts = variable.split("=", 2);
            this.variables.put(parts[0], parts[1]);
        }
    }

    final void start(Path docroot) throws Exception {
        port = RawClient.freePort();
        variables.put("ADDRESS", "127.0.0.1");
        variables.put("PORT", Integer.toString(port));
        variables.put("DOCROOT", docroot.toString());
        Launcher.keepOnlyWarnings();
        constructor.apply(Settings.from(variables)).start();
    }

    @Test
    void listensNowhereElse() {
        assertFalse(RawClient.listens("127.0.0.2", port));
    }
}

package abrunner.quickserver14;

import abrunner.harness.EchoConnection;
import org.quickserver.net.server.ClientData;

/** What a connection carries. QuickServer makes one for each by the name of this class, and has one handler for all. */
public final class Connection implements ClientData {
    private static final long serialVersionUID = 1L;

    private final transient EchoConnection echo = new EchoConnection();

    EchoConnection echo() {
        return echo;
    }
}

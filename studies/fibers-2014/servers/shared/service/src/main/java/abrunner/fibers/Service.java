package abrunner.fibers;

import java.io.IOException;

/** What is under test, where a request may block what it runs on: it calls service A, and then B if it is asked to. */
public final class Service {
    /** How long the client waits for a connection, and for an answer. */
    public static final int TIMEOUT_MILLIS = 30_000;

    private final Client client;

    public Service(Client client) {
        this.client = client;
    }

    /** Returns the answer to a request with this value of {@link Sleep#PARAMETER}. */
    public Answer answer(String sleep) {
        try {
            int millis = Sleep.millis(sleep);
            client.call(Sleep.A_MILLIS);
            if (millis > 0) {
                client.call(millis);
            }
            return Answer.OK;
        } catch (Sleep.InvalidSleep invalid) {
            return Answer.INVALID_SLEEP;
        } catch (IOException failed) {
            return Answer.FAILED;
        }
    }

    /** Reaches A and B. */
    public interface Client {
        /** Calls a service that takes so long, and returns when it has answered with 200. */
        void call(int millis) throws IOException;
    }
}

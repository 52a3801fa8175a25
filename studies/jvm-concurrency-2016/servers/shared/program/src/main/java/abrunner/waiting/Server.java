package abrunner.waiting;

/** One server under test, configured and ready to be started. */
public interface Server {
    /** Starts listening. */
    void start() throws Exception;
}

package abrunner.fibers;

/** One server under test, configured and ready to be started. */
public interface Server {
    /** Starts listening. When this returns, a request that comes in is answered. */
    void start() throws Exception;
}

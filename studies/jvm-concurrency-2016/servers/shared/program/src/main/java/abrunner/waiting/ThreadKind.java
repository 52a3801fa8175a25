package abrunner.waiting;

/** What answers requests in a server that has the choice. */
public enum ThreadKind {
    /** Threads of the operating system, kept in a pool. */
    PLATFORM,
    /** The JVM's own, one for each request. */
    VIRTUAL
}

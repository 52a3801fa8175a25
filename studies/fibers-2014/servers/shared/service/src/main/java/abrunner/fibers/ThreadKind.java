package abrunner.fibers;

/** What a request runs on while it waits for A and B. */
public enum ThreadKind {
    /** Threads of the operating system, from a pool. */
    PLATFORM,
    /** Quasar's fibers, one for each request. */
    FIBER,
    /** The JVM's own threads, one for each request. */
    VIRTUAL
}

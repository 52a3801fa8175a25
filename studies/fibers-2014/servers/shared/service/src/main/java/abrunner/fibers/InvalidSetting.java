package abrunner.fibers;

/** An environment variable has a value that cannot be used; the message is a whole line for the person who set it. */
public final class InvalidSetting extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidSetting(String message) {
        super(message);
    }
}

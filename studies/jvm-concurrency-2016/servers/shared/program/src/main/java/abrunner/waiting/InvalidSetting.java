package abrunner.waiting;

/** Says which environment variable cannot be used, and what it should be. */
public final class InvalidSetting extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidSetting(String message) {
        super(message);
    }
}

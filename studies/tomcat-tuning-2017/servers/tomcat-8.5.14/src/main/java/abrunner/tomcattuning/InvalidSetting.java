package abrunner.tomcattuning;

/** An environment variable has a value that cannot be used; the message is a whole line for the person who set it. */
final class InvalidSetting extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidSetting(String message) {
        super(message);
    }
}

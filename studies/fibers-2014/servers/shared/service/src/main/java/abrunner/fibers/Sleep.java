package abrunner.fibers;

/** The time that a request asks a service to take. */
public final class Sleep {
    /** The parameter of /service and /internal. */
    public static final String PARAMETER = "sleep";

    /** How long service A takes. */
    public static final int A_MILLIS = 10;

    static final int MAX_MILLIS = 600_000;

    private Sleep() {
    }

    /** Returns the milliseconds that the parameter's value means; a request without it asks for none. */
    public static int millis(String value) throws InvalidSleep {
        if (value == null) {
            return 0;
        }
        try {
            int millis = Integer.parseInt(value);
            if (millis >= 0 && millis <= MAX_MILLIS) {
                return millis;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, as one that is out of range.
        }
        throw new InvalidSleep();
    }

    /** Returns the parameter's value in a query, or null, for servers that do not look for parameters themselves. */
    public static String find(String query) {
        if (query != null) {
            for (String parameter : query.split("&")) {
                if (parameter.startsWith(PARAMETER + "=")) {
                    return parameter.substring(PARAMETER.length() + 1);
                }
            }
        }
        return null;
    }

    /** The request is answered with {@link Answer#INVALID_SLEEP}. */
    public static final class InvalidSleep extends Exception {
        private static final long serialVersionUID = 1L;
    }
}

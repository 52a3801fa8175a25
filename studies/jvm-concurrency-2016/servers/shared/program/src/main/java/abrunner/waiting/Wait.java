package abrunner.waiting;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** What every program is asked: GET /wait?ms=N, to be answered no earlier than N milliseconds later. */
public final class Wait {
    public static final String PATH = "/wait";
    /** What {@link #millis} gives for a wait that is missing or wrong. */
    public static final int INVALID = -1;

    /** After so long a container answers itself what nobody has answered: longer than any wait. */
    public static final int TIMEOUT_MILLIS = 3_600_000;

    public static final String CONTENT_TYPE = "text/plain";
    public static final String TEXT = "Hello, World!";
    private static final byte[] BYTES = TEXT.getBytes(StandardCharsets.US_ASCII);

    private static final String FIELD = "ms=";
    private static final int MAX_MILLIS = 600_000;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,6}");

    private Wait() {
    }

    /** The wait that a query asks for, the part of a URI after the question mark. */
    public static int millis(String query) {
        if (query != null) {
            for (String field : query.split("&")) {
                if (field.startsWith(FIELD)) {
                    return parse(field.substring(FIELD.length()));
                }
            }
        }
        return INVALID;
    }

    /** The wait that the value of "ms" asks for. */
    public static int parse(String value) {
        if (!DIGITS.matcher(value).matches()) {
            return INVALID;
        }
        int millis = Integer.parseInt(value);
        return millis <= MAX_MILLIS ? millis : INVALID;
    }

    /** Waits by blocking the thread. */
    public static void block(int millis) {
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }
    }

    /** The answer's body; not a copy. */
    public static byte[] bytes() {
        return BYTES;
    }

    /** The answer's body, with a position of its own. */
    public static ByteBuffer buffer() {
        return ByteBuffer.wrap(BYTES);
    }
}

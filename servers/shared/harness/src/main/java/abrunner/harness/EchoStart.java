package abrunner.harness;

import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;

/** How a connection begins that is echoed, for servers that serve files on the same port. */
public final class EchoStart {
    private static final byte[] BYTES = "GET /echo ".getBytes(StandardCharsets.US_ASCII);
    /** With so many bytes it is certain. */
    public static final int LENGTH = BYTES.length;

    private EchoStart() {
    }

    /** Whether a connection's first bytes, of which there are so many, are those of an echo as far as they go. */
    public static boolean fits(int count, IntUnaryOperator byteAt) {
        int known = Math.min(count, LENGTH);
        for (int i = 0; i < known; i++) {
            if (byteAt.applyAsInt(i) != BYTES[i]) {
                return false;
            }
        }
        return true;
    }
}

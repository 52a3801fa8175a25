package abrunner.harness;

import java.util.Arrays;

/**
 * Finds the request heads in the bytes of one connection, however these are cut into packets. Knows no request
 * bodies: the requests of a load test have none.
 */
public final class RequestHeadReader {
    /** No head may be longer. */
    public static final int MAX_HEAD = 64 * 1024;

    private byte[] buffer = new byte[512];
    /** Where the next head starts, and where the bytes end that have come in. */
    private int start;
    private int end;
    /** No head ends before. */
    private int scanned;

    /** Adds bytes as they come in. */
    public void append(byte[] bytes, int offset, int count) {
        if (buffer.length - end < count) {
            makeRoom(count);
        }
        System.arraycopy(bytes, offset, buffer, end, count);
        end += count;
    }

    /** The next head that is complete, or null while there is none. One that is too long never is. */
    public RequestHead next() {
        int limit = Math.min(end, start + MAX_HEAD);
        for (int i = Math.max(scanned, start + 4); i <= limit; i++) {
            if (buffer[i - 1] == '\n' && buffer[i - 2] == '\r' && buffer[i - 3] == '\n' && buffer[i - 4] == '\r') {
                RequestHead head = new RequestHead(Arrays.copyOfRange(buffer, start, i));
                start = i;
                return head;
            }
        }
        scanned = limit + 1;
        return null;
    }

    /** Whether the next head, as far as it has come in, is longer than a head may be. */
    public boolean isTooLong() {
        return end - start > MAX_HEAD;
    }

    private void makeRoom(int count) {
        int length = end - start;
        byte[] larger = new byte[Math.max(512, 2 * (length + count))];
        System.arraycopy(buffer, start, larger, 0, length);
        buffer = larger;
        scanned = Math.max(0, scanned - start);
        start = 0;
        end = length;
    }
}

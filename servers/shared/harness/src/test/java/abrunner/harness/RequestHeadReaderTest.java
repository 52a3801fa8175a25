package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestHeadReaderTest {
    private static final String FIRST = "GET /a HTTP/1.0\r\nHost: x\r\n\r\n";
    private static final String SECOND = "GET /\u00fc HTTP/1.0\r\n\r\n";

    private final RequestHeadReader reader = new RequestHeadReader();

    @Test
    void findsHeadsSplitAnywhere() {
        byte[] all = bytes(FIRST + SECOND);
        for (int i = 0; i <= all.length; i++) {
            for (int j = i; j <= all.length; j++) {
                RequestHeadReader fresh = new RequestHeadReader();
                List<String> heads = new ArrayList<>();
                for (byte[] packet : Arrays.asList(Arrays.copyOfRange(all, 0, i), Arrays.copyOfRange(all, i, j),
                        Arrays.copyOfRange(all, j, all.length))) {
                    fresh.append(packet, 0, packet.length);
                    drain(fresh, heads);
                }
                assertEquals(Arrays.asList(FIRST, SECOND), heads, "split at " + i + " and " + j);
            }
        }
    }

    @Test
    void findsHeadsByteByByte() {
        List<String> heads = new ArrayList<>();
        for (byte b : bytes(FIRST + SECOND)) {
            reader.append(new byte[] {b}, 0, 1);
            drain(reader, heads);
        }
        assertEquals(Arrays.asList(FIRST, SECOND), heads);
    }

    @Test
    void takesOnlyTheBytesItIsGiven() {
        byte[] padded = bytes("xx" + FIRST + "yy");
        reader.append(padded, 2, FIRST.length());
        assertArrayEquals(bytes(FIRST), reader.next().bytes());
        reader.append(bytes(SECOND), 0, SECOND.length());
        assertArrayEquals(bytes(SECOND), reader.next().bytes());
    }

    @Test
    void wantsWholeBlankLine() {
        feed("GET / HTTP/1.0\n\nHost: x\r\n\n\r\n");
        assertNull(reader.next());
        feed("\r\n");
        assertNotNull(reader.next());
    }

    @Test
    void takesHeadOfGreatestLength() {
        String head = headOfLength(RequestHeadReader.MAX_HEAD);
        feed(head + SECOND);
        assertArrayEquals(bytes(head), reader.next().bytes());
        assertArrayEquals(bytes(SECOND), reader.next().bytes());
        assertFalse(reader.isTooLong());
    }

    @Test
    void refusesLongerHead() {
        feed(headOfLength(RequestHeadReader.MAX_HEAD + 1));
        assertNull(reader.next());
        assertTrue(reader.isTooLong());
    }

    @Test
    void findsManyHeadsInPacketsOfAnySize() {
        List<String> expected = new ArrayList<>();
        Random random = new Random(2006);
        for (int i = 0; i < 2_000; i++) {
            expected.add(headOfLength(20 + random.nextInt(3_000)));
        }
        byte[] all = bytes(String.join("", expected));
        List<String> heads = new ArrayList<>();
        for (int i = 0; i < all.length;) {
            int count = Math.min(1 + random.nextInt(5_000), all.length - i);
            reader.append(all, i, count);
            drain(reader, heads);
            i += count;
        }
        assertEquals(expected, heads);
    }

    private void feed(String text) {
        reader.append(bytes(text), 0, bytes(text).length);
    }

    private static void drain(RequestHeadReader reader, List<String> heads) {
        for (RequestHead head = reader.next(); head != null; head = reader.next()) {
            heads.add(new String(head.bytes(), StandardCharsets.ISO_8859_1));
        }
        assertFalse(reader.isTooLong());
    }

    private static String headOfLength(int length) {
        char[] filler = new char[length - "GET / HTTP/1.0\r\n\r\n".length()];
        Arrays.fill(filler, 'x');
        return "GET /" + new String(filler) + " HTTP/1.0\r\n\r\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}

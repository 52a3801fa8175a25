package abrunner.harness;

import static abrunner.harness.Dates.assertRecent;
import static abrunner.harness.Dates.parse;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class EchoConnectionTest {
    private static final String ALIVE = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
    private static final String LAST = "GET /last HTTP/1.0\r\n\r\n";

    private static final Pattern DATE = Pattern.compile("Date: (.*)\r\n");

    private final EchoConnection connection = new EchoConnection();

    @Test
    void echoesHeadAndCloses() {
        assertEquals("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain\r\nContent-Length: 22\r\n"
                + "Connection: close\r\n\r\n" + LAST, receive(LAST));
        assertTrue(connection.isOver());
    }

    @Test
    void echoesHeadAndKeepsConnection() {
        assertEquals(answer(ALIVE, "keep-alive"), receive(ALIVE));
        assertFalse(connection.isOver());
    }

    @Test
    void answersNothingUntilHeadIsComplete() {
        assertEquals("", receive(ALIVE.substring(0, 10)));
        assertFalse(connection.isOver());
        assertEquals(answer(ALIVE, "keep-alive"), receive(ALIVE.substring(10)));
    }

    @Test
    void answersPipelinedRequestsInOrderUntilTheLast() {
        assertEquals(answer(ALIVE, "keep-alive") + answer(LAST, "close"), receive(ALIVE + LAST + ALIVE));
        assertTrue(connection.isOver());
        assertEquals("", receive(ALIVE));
    }

    @Test
    void givesUpOnHeadThatNeverEnds() {
        assertEquals("", receive(new String(new char[RequestHeadReader.MAX_HEAD]).replace('\0', 'x')));
        assertFalse(connection.isOver());
        assertEquals("", receive("x"));
        assertTrue(connection.isOver());
    }

    @Test
    void tellsTheSecond() throws InterruptedException {
        String first = date();
        assertRecent(first);
        Thread.sleep(1100);
        assertTrue(parse(date()).isAfter(parse(first)));
    }

    private String date() {
        Matcher date = DATE.matcher(receiveAsIs(ALIVE));
        assertTrue(date.find());
        return date.group(1);
    }

    private String receive(String text) {
        return DATE.matcher(receiveAsIs(text)).replaceAll("Date: now\r\n");
    }

    private String receiveAsIs(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return new String(connection.receive(bytes, 0, bytes.length), StandardCharsets.ISO_8859_1);
    }

    private static String answer(String head, String connection) {
        return "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain\r\nContent-Length: " + head.length()
                + "\r\nConnection: " + connection + "\r\n\r\n" + head;
    }
}

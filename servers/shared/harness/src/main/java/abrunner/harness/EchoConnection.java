package abrunner.harness;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What an echo server says on one connection: for each request its own head as plain text. Without I/O, so that
 * every framework moves the same bytes in its own way. Not thread-safe.
 */
public final class EchoConnection {
    private static final byte[] KEEP_ALIVE = ascii("\r\nConnection: keep-alive\r\n\r\n");
    private static final byte[] CLOSE = ascii("\r\nConnection: close\r\n\r\n");

    private final RequestHeadReader reader = new RequestHeadReader();
    private boolean over;

    /** Takes bytes as they come in; gives the answers to the requests that they complete, back to back. */
    public byte[] receive(byte[] bytes, int offset, int count) {
        ByteArrayOutputStream answers = new ByteArrayOutputStream(512);
        if (!over) {
            reader.append(bytes, offset, count);
        }
        while (!over) {
            RequestHead head = reader.next();
            if (head == null) {
                over = reader.isTooLong();
                break;
            }
            over = !answer(head, answers);
        }
        return answers.toByteArray();
    }

    /** Whether the connection has to be closed as soon as the answers are sent. */
    public boolean isOver() {
        return over;
    }

    private static boolean answer(RequestHead head, ByteArrayOutputStream answers) {
        byte[] body = head.bytes();
        boolean alive = head.keepsAlive();
        write(Start.now(), answers);
        write(ascii(Integer.toString(body.length)), answers);
        write(alive ? KEEP_ALIVE : CLOSE, answers);
        write(body, answers);
        return alive;
    }

    private static void write(byte[] bytes, ByteArrayOutputStream answers) {
        answers.write(bytes, 0, bytes.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** How all answers of one second start. */
    private static final class Start {
        private static volatile Start last = new Start(HttpDate.now());

        private final String date;
        private final byte[] bytes;

        Start(String date) {
            this.date = date;
            bytes = ascii("HTTP/1.1 200 OK\r\nDate: " + date + "\r\nContent-Type: text/plain\r\nContent-Length: ");
        }

        static byte[] now() {
            String date = HttpDate.now();
            Start start = last;
            if (!start.date.equals(date)) {
                start = new Start(date);
                last = start;
            }
            return start.bytes;
        }
    }
}

package abrunner.harness;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What an echo server says on one connection: for each request its own head as plain text. Without I/O, so that
 * every framework moves the same bytes in its own way. Not thread-safe.
 */
public final class EchoConnection {
    private static final byte[] NOTHING = {};
    private static final byte[] KEEP_ALIVE = ascii("\r\nConnection: keep-alive\r\n\r\n");
    private static final byte[] CLOSE = ascii("\r\nConnection: close\r\n\r\n");

    private final RequestHeadReader reader = new RequestHeadReader();
    private boolean over;

    /** The answer to one request, in one piece. */
    public static byte[] answer(RequestHead head, boolean keepAlive) {
        byte[] start = Start.now();
        byte[] body = head.bytes();
        byte[] length = ascii(Integer.toString(body.length));
        byte[] end = keepAlive ? KEEP_ALIVE : CLOSE;
        byte[] answer = new byte[start.length + length.length + end.length + body.length];
        ByteBuffer.wrap(answer).put(start).put(length).put(end).put(body);
        return answer;
    }

    /** Takes bytes as they come in; gives the answers to the requests that they complete, back to back. */
    public byte[] receive(byte[] bytes, int offset, int count) {
        if (!over) {
            reader.append(bytes, offset, count);
        }
        byte[] first = next();
        byte[] answer = next();
        if (answer.length == 0) {
            return first;
        }
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        answers.write(first, 0, first.length);
        for (; answer.length > 0; answer = next()) {
            answers.write(answer, 0, answer.length);
        }
        return answers.toByteArray();
    }

    /** Whether the connection has to be closed as soon as the answers are sent. */
    public boolean isOver() {
        return over;
    }

    /** The answer to the next request that is complete; empty if there is none. */
    private byte[] next() {
        RequestHead head = over ? null : reader.next();
        if (head == null) {
            over |= reader.isTooLong();
            return NOTHING;
        }
        over = !head.keepsAlive();
        return answer(head, !over);
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

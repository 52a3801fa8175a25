package abrunner.harness;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What an echo server says on one connection: for each request its own head as plain text. Without I/O, so that
 * every framework moves the same bytes in its own way. Not thread-safe.
 */
public final class EchoConnection {
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
        byte[] fields = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.length
                + "\r\nConnection: " + (alive ? "keep-alive" : "close") + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        answers.write(fields, 0, fields.length);
        answers.write(body, 0, body.length);
        return alive;
    }
}

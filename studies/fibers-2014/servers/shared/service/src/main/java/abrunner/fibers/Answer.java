package abrunner.fibers;

import java.nio.charset.StandardCharsets;

/** All that is ever answered, always as text. */
public enum Answer {
    OK(200, "Hello, World!"),
    INVALID_SLEEP(400, "sleep must be a whole number from 0 to " + Sleep.MAX_MILLIS + "\n"),
    /** A or B could not be asked, took too long or failed. */
    FAILED(500, "a service failed\n");

    public static final String CONTENT_TYPE = "text/plain";

    private final int status;
    private final byte[] body;

    Answer(int status, String body) {
        this.status = status;
        this.body = body.getBytes(StandardCharsets.US_ASCII);
    }

    public int status() {
        return status;
    }

    /** Its bytes; not to be changed. */
    public byte[] body() {
        return body;
    }
}

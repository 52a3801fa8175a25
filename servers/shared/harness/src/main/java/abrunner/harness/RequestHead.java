package abrunner.harness;

import java.nio.charset.StandardCharsets;

/** The head of one HTTP/1.x request: request line and header fields through the blank line, as received. */
public final class RequestHead {
    private final byte[] bytes;
    /** The words of the request line, when somebody has asked for one. */
    private String[] words;

    /** Takes the bytes as received, through the blank line. */
    public RequestHead(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The head's bytes, the blank line included; not a copy. */
    public byte[] bytes() {
        return bytes;
    }

    /** The first word of the request line. */
    public String method() {
        return word(0);
    }

    /** The second word of the request line; empty if there is none. */
    public String target() {
        return word(1);
    }

    /** Whether the client wants to send another request: HTTP/1.1 unless it says close, HTTP/1.0 only if it asks. */
    public boolean keepsAlive() {
        int end = lineEnd(0);
        boolean http11 = endsWith(end, " HTTP/1.1");
        boolean http10 = endsWith(end, " HTTP/1.0");
        if (!http11 && !http10) {
            return false;
        }
        boolean keepAlive = false;
        for (int start = end + 2; start < bytes.length; start = end + 2) {
            end = lineEnd(start);
            if (startsWithConnection(start, end)) {
                String options = new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
                for (String option : options.substring(options.indexOf(':') + 1).split(",")) {
                    if (option.trim().equalsIgnoreCase("close")) {
                        return false;
                    }
                    keepAlive |= option.trim().equalsIgnoreCase("keep-alive");
                }
            }
        }
        return http11 || keepAlive;
    }

    private String word(int index) {
        if (words == null) {
            words = new String(bytes, 0, lineEnd(0), StandardCharsets.ISO_8859_1).split(" ");
        }
        return index < words.length ? words[index] : "";
    }

    private int lineEnd(int start) {
        int end = start;
        while (bytes[end] != '\r' || bytes[end + 1] != '\n') {
            end++;
        }
        return end;
    }

    private boolean endsWith(int end, String suffix) {
        int start = end - suffix.length();
        for (int i = 0; i < suffix.length(); i++) {
            if (start < 0 || bytes[start + i] != suffix.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean startsWithConnection(int start, int end) {
        String name = "connection:";
        if (end - start < name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            // Sets the bit that tells a lower-case letter; the colon has it set.
            if ((bytes[start + i] | 0x20) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}

package abrunner.harness;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection on which a test says exactly the bytes it wants to, and reads answers with a Content-Length. */
public final class RawClient implements Closeable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    public RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Whether anybody answers there. */
    static boolean listens(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 1000);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    /** A port that nobody listened on a moment ago. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Sends the text, one byte per character. */
    public void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Tells the server that nothing more will be sent. */
    void end() throws IOException {
        socket.shutdownOutput();
    }

    /** Reads one answer with its body. */
    public Answer answer() throws IOException {
        Answer head = head();
        byte[] body = new byte[Integer.parseInt(head.field("Content-Length"))];
        for (int count = 0; count < body.length;) {
            int more = in.read(body, count, body.length - count);
            if (more < 0) {
                throw new EOFException("body ended after " + count + " of " + body.length + " bytes");
            }
            count += more;
        }
        return new Answer(head.status, head.fields, body);
    }

    /** Reads an answer that has no body, as that to HEAD. */
    public Answer head() throws IOException {
        int status = Integer.parseInt(line().split(" ")[1]);
        Map<String, String> fields = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
        }
        return new Answer(status, fields, new byte[0]);
    }

    /** Everything until the server closes, one character per byte. */
    public String rest() throws IOException {
        StringBuilder rest = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            rest.append((char) b);
        }
        return rest.toString();
    }

    /** Waits for the server's next move, and tells whether it is to close. */
    public boolean isClosedByServer() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("closed after '" + line + "'");
            }
            line.append((char) b);
        }
        return line.toString().trim();
    }

    /** What a server answered. */
    public static final class Answer {
        private final int status;
        private final Map<String, String> fields;
        private final byte[] body;

        private Answer(int status, Map<String, String> fields, byte[] body) {
            this.status = status;
            this.fields = fields;
            this.body = body;
        }

        public int status() {
            return status;
        }

        public String field(String name) {
            return fields.get(name.toLowerCase(Locale.ROOT));
        }

        public byte[] body() {
            return body;
        }
    }
}

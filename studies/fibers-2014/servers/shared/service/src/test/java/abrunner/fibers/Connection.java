package abrunner.fibers;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection of a test to a server. */
final class Connection implements Closeable {
    static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    Connection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A port that nobody listened on a moment ago. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Sends a request as load generators do, and does not wait. */
    void ask(String path) throws IOException {
        String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    Response get(String path) throws IOException {
        ask(path);
        return response(PATIENCE_MILLIS);
    }

    /** Reads the next answer, whose body has to have a length; a SocketTimeoutException says that there is none. */
    Response response(int patienceMillis) throws IOException {
        socket.setSoTimeout(patienceMillis);
        String status = line();
        Map<String, String> fields = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
        }
        byte[] body = in.readNBytes(Integer.parseInt(fields.get("content-length")));
        return new Response(status, fields, new String(body, StandardCharsets.ISO_8859_1));
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

    /** What a server answered; the names of its fields are in lower case. */
    record Response(String statusLine, Map<String, String> fields, String body) {
        int status() {
            return Integer.parseInt(statusLine.split(" ")[1]);
        }
    }
}

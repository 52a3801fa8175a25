package abrunner.waiting;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URL;

/**
 * Asks a server that has started for its first answer. A port that is open says little: where the agent is missing, fibers
 * fail when they sleep, and web actors look for their classes when the first request comes.
 */
final class FirstRequest {
    private static final int PATIENCE_MILLIS = 20_000;

    private FirstRequest() {
    }

    /** Returns when the server has answered. */
    static void ask(InetSocketAddress address) throws IOException {
        InetAddress host = address.getAddress();
        if (host.isAnyLocalAddress()) {
            host = InetAddress.getLoopbackAddress();
        }
        URL url = new URL("http", host.getHostAddress(), address.getPort(), Wait.PATH + "?ms=1");
        HttpURLConnection connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(PATIENCE_MILLIS);
        connection.setReadTimeout(PATIENCE_MILLIS);
        connection.setRequestProperty("Connection", "close");
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw new IOException("the first answer was " + connection.getResponseCode());
        }
        try (InputStream body = connection.getInputStream()) {
            while (body.read() >= 0) {
                // Until the end, so that the server is done with it.
            }
        }
    }
}

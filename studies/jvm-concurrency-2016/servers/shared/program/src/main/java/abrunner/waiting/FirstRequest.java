package abrunner.waiting;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URL;
import java.util.function.Function;

/**
 * Asks a server that has started for its first answer. A port that is open says little: where the agent is missing, fibers
 * fail when they sleep, and web actors look for their classes when the first request comes.
 */
public final class FirstRequest {
    private static final int PATIENCE_MILLIS = 20_000;

    private FirstRequest() {
    }

    /** Makes a server that has started when it has answered. */
    public static Function<Settings, Server> after(Function<Settings, Server> constructor) {
        return settings -> {
            Server server = constructor.apply(settings);
            return () -> {
                server.start();
                ask(settings.address());
            };
        };
    }

    private static void ask(InetSocketAddress address) throws IOException {
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

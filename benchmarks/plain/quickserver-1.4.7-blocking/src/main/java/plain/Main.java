package plain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.quickserver.net.AppException;
import org.quickserver.net.server.ClientBinaryHandler;
import org.quickserver.net.server.ClientEventHandler;
import org.quickserver.net.server.ClientHandler;
import org.quickserver.net.server.DataMode;
import org.quickserver.net.server.DataType;
import org.quickserver.net.server.QuickServer;

/** After the echo server in QuickServer's API documentation (ClientCommandHandler), in binary mode. */
public final class Main implements ClientEventHandler, ClientBinaryHandler {
    public static void main(String[] arguments) throws AppException, IOException {
        QuickServer server = new QuickServer();
        server.setServerBanner("");
        server.setBindAddr(System.getenv("ADDRESS"));
        server.setPort(Integer.parseInt(System.getenv("PORT")));
        server.setClientEventHandler(Main.class.getName());
        server.setClientBinaryHandler(Main.class.getName());
        server.setDefaultDataMode(DataMode.BINARY, DataType.IN);
        server.setDefaultDataMode(DataMode.BINARY, DataType.OUT);
        server.getBasicConfig().getAdvancedSettings().setBacklog(1000);
        server.setCommunicationLogging(false);
        server.startServer();
    }

    @Override
    public void gotConnected(ClientHandler client) throws IOException {
        client.getSocket().setTcpNoDelay(true);
    }

    @Override
    public void handleBinary(ClientHandler client, byte[] bytes) throws IOException {
        String request = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!request.endsWith("\r\n\r\n")) {
            throw new IOException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes.length
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        client.sendClientBinary(answer.getBytes(StandardCharsets.ISO_8859_1));
        if (!keepAlive) {
            client.closeConnection();
        }
    }

    @Override
    public void closingConnection(ClientHandler client) {
    }

    @Override
    public void lostConnection(ClientHandler client) {
    }
}

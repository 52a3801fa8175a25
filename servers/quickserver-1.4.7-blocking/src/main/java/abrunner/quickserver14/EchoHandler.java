package abrunner.quickserver14;

import abrunner.harness.EchoConnection;
import java.io.IOException;
import org.quickserver.net.server.ClientBinaryHandler;
import org.quickserver.net.server.ClientEventHandler;
import org.quickserver.net.server.ClientHandler;

/** Answers each request with its own head. QuickServer makes it by its name. */
public final class EchoHandler implements ClientEventHandler, ClientBinaryHandler {
    @Override
    public void gotConnected(ClientHandler client) throws IOException {
        client.getSocket().setTcpNoDelay(true);
    }

    @Override
    public void handleBinary(ClientHandler client, byte[] bytes) throws IOException {
        EchoConnection connection = ((Connection) client.getClientData()).echo();
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            client.sendClientBinary(answers);
        }
        if (connection.isOver()) {
            // Here, as in the web server that QuickServer was shipped with; in non-blocking mode this waits for the
            // thread that writes.
            client.closeConnection();
        }
    }

    @Override
    public void closingConnection(ClientHandler client) {
        // Nothing is kept elsewhere.
    }

    @Override
    public void lostConnection(ClientHandler client) {
        // Nothing is kept elsewhere.
    }
}

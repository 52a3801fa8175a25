package abrunner.microhttp011;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.harness.FileServerContract;
import abrunner.harness.RawClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MicrohttpServerTest extends FileServerContract {
    MicrohttpServerTest() {
        super(MicrohttpServer::new);
    }

    /** Not over HTTP/1.1. */
    @Override
    protected boolean closes() {
        return false;
    }

    @Test
    void closesHttp10Connection() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send("GET /small.html HTTP/1.0\r\n\r\n");
            assertEquals(200, client.answer().status());
            assertTrue(client.isClosedByServer());
        }
    }
}

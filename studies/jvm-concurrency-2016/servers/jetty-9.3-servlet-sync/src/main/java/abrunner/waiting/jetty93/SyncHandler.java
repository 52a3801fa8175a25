package abrunner.waiting.jetty93;

import abrunner.waiting.Wait;
import java.io.IOException;
import org.eclipse.jetty.server.Request;

/** Has the server's thread sleep. */
final class SyncHandler extends WaitHandler {
    @Override
    void answer(Request request, int millis) throws IOException {
        Wait.block(millis);
        send(request);
    }
}

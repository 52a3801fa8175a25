package abrunner.waiting.jetty93;

import abrunner.waiting.Wait;
import abrunner.waiting.handlers.Collector;
import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.DispatcherType;
import org.eclipse.jetty.server.Request;

/** Lets go of the server's thread, and has another one sleep as soon as the timer has come. */
final class DispatchHandler extends WaitHandler {
    private final Collector collector = Collector.alone();

    @Override
    void answer(Request request, int millis) throws IOException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            Wait.block(millis);
            send(request);
        } else {
            AsyncContext context = letGo(request);
            collector.add(context::dispatch);
        }
    }
}

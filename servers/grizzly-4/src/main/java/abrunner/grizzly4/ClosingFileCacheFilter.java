package abrunner.grizzly4;

import java.io.IOException;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.HttpContent;
import org.glassfish.grizzly.http.ProcessingState;
import org.glassfish.grizzly.http.server.FileCacheFilter;
import org.glassfish.grizzly.http.server.filecache.FileCache;

/** Grizzly's file cache, which by itself answers with "Connection: close" and forgets to close. */
final class ClosingFileCacheFilter extends FileCacheFilter {
    ClosingFileCacheFilter(FileCache cache) {
        super(cache);
    }

    @Override
    public NextAction handleRead(FilterChainContext context) throws IOException {
        HttpContent request = context.getMessage();
        ProcessingState state = request.getHttpHeader().getProcessingState();
        NextAction next = super.handleRead(context);
        boolean answered = next != context.getInvokeAction();
        if (answered && !state.isKeepAlive()) {
            // After all that is still to be written.
            state.getHttpContext().close();
        }
        return next;
    }
}

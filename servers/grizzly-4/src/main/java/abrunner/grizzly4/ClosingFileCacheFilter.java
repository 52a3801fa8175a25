package abrunner.grizzly4;

import java.io.IOException;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.HttpContent;
import org.glassfish.grizzly.http.server.FileCacheFilter;
import org.glassfish.grizzly.http.server.filecache.FileCache;

/** Grizzly's file cache, which by itself answers with "Connection: close" and leaves the connection open. */
final class ClosingFileCacheFilter extends FileCacheFilter {
    /** After all that is still to be written. */
    private static final FilterChainContext.CompletionListener CLOSE = context -> context.getConnection().closeSilently();

    ClosingFileCacheFilter(FileCache cache) {
        super(cache);
    }

    @Override
    public NextAction handleRead(FilterChainContext context) throws IOException {
        HttpContent request = context.getMessage();
        if (!request.getHttpHeader().getProcessingState().isKeepAlive()) {
            context.addCompletionListener(CLOSE);
        }
        return super.handleRead(context);
    }
}

package abrunner.undertow;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.cache.DirectBufferCache;
import io.undertow.server.handlers.resource.CachingResourceManager;
import io.undertow.server.handlers.resource.PathResourceManager;
import io.undertow.server.handlers.resource.ResourceHandler;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.xnio.Options;

/** Undertow, serving files by its ResourceHandler: small ones cached in direct memory, large ones by sendfile. */
public final class UndertowServer implements Server {
    /** As WildFly sets them: how many files' metadata are kept, and the memory for content in pieces of 1 KB. */
    private static final int CACHED_FILES = 100;
    private static final int SLICE_BYTES = 1024;
    private static final int SLICES_PER_PAGE = 1024;
    private static final int CACHE_BYTES = 10 * SLICES_PER_PAGE * SLICE_BYTES;

    /** WildFly caches files of up to 10 MB, but sendfile need not copy them from pieces. */
    private static final long CACHED_FILE_BYTES = 64 * 1024;

    /** After so long a cached file is looked at again. */
    private static final int EXPIRY_MILLIS = 5_000;

    /** As shipped: only what is smaller goes through a buffer. */
    private static final long SENDFILE_MIN_BYTES = 1024;

    private final InetSocketAddress address;
    private final int backlog;
    private final Path docroot;

    public UndertowServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        docroot = settings.docroot();
    }

    /** With as many workers as shipped: none waits for a client, only for the disk. */
    @Override
    public void start() {
        Undertow.builder()
                .addHttpListener(address.getPort(), address.getAddress().getHostAddress())
                .setSocketOption(Options.BACKLOG, backlog)
                .setSocketOption(Options.TCP_NODELAY, true)
                .setHandler(files())
                .build()
                .start();
    }

    private HttpHandler files() {
        DirectBufferCache content = new DirectBufferCache(SLICE_BYTES, SLICES_PER_PAGE, CACHE_BYTES);
        // Case-sensitive, follows no symbolic links, and does not ask to be told of changes: that watches folders that
        // links lead to, too.
        PathResourceManager folder = new PathResourceManager(docroot, SENDFILE_MIN_BYTES, true, false, false);
        return new ResourceHandler(
                new CachingResourceManager(CACHED_FILES, CACHED_FILE_BYTES, content, folder, EXPIRY_MILLIS));
    }
}

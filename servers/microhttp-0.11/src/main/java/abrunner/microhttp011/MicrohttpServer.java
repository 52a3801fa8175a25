package abrunner.microhttp011;

import abrunner.harness.FileCache;
import abrunner.harness.HttpDate;
import abrunner.harness.Launcher;
import abrunner.harness.ServedFile;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.microhttp.EventLoop;
import org.microhttp.Header;
import org.microhttp.Options;
import org.microhttp.Request;
import org.microhttp.Response;

/** Microhttp, serving files, with as many event loops as it has by itself. */
public final class MicrohttpServer implements Server {
    private static final byte[] NOTHING = {};

    private final InetSocketAddress address;
    private final int backlog;
    private final FileCache files;

    MicrohttpServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        files = new FileCache(settings);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(MicrohttpServer::new);
    }

    @Override
    public void start() throws IOException {
        Options options = Options.builder()
                .withHost(address.getAddress().getHostAddress())
                .withPort(address.getPort())
                .withReuseAddr(true)
                .withAcceptLength(backlog)
                .build();
        new EventLoop(options, (request, callback) -> callback.accept(answer(request))).start();
    }

    private Response answer(Request request) {
        List<Header> fields = new ArrayList<>();
        fields.add(new Header("Date", HttpDate.now()));
        boolean isHead = request.method().equals("HEAD");
        if (!isHead && !request.method().equals("GET")) {
            return new Response(405, "Method Not Allowed", fields, NOTHING);
        }
        ServedFile file = files.find(request.uri());
        if (file == null) {
            return new Response(404, "Not Found", fields, NOTHING);
        }
        fields.add(new Header("Content-Type", file.contentType()));
        fields.add(new Header("Last-Modified", file.lastModified()));
        if (isHead) {
            fields.add(new Header("Content-Length", Long.toString(file.length())));
        }
        return new Response(200, "OK", fields, isHead ? NOTHING : content(file));
    }

    /** An answer is an array of bytes: that of a large file is filled anew. */
    private static byte[] content(ServedFile file) {
        if (file.content() != null) {
            return file.content();
        }
        byte[] bytes = new byte[(int) file.length()];
        try {
            file.mapped().get(bytes);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
        return bytes;
    }
}

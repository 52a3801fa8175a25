package plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.EmptyCompletionHandler;
import org.glassfish.grizzly.WriteResult;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainBuilder;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.filterchain.TransportFilter;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.memory.Buffers;
import org.glassfish.grizzly.nio.transport.TCPNIOTransport;
import org.glassfish.grizzly.nio.transport.TCPNIOTransportBuilder;

/**
 * Echo after Grizzly's quick start, files by the one call that its HTTP server framework has for it:
 * https://javaee.github.io/grizzly/quickstart.html, https://javaee.github.io/grizzly/httpserverframework.html
 */
public final class Main extends BaseFilter {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        InetSocketAddress address =
                new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT")));
        if ("echo".equals(System.getenv("WORKLOAD"))) {
            TCPNIOTransport transport = TCPNIOTransportBuilder.newInstance().build();
            transport.setProcessor(FilterChainBuilder.stateless().add(new TransportFilter()).add(new Main()).build());
            transport.bind(address);
            transport.start();
        } else {
            HttpServer server = HttpServer.createSimpleServer(System.getenv("DOCROOT"), address);
            // It answers from there with "Connection: close", and does not close.
            server.getListener("grizzly").getFileCache().setEnabled(false);
            server.start();
        }
        // All threads are daemons.
        Thread.currentThread().join();
    }

    @Override
    public NextAction handleRead(FilterChainContext context) {
        Buffer received = context.getMessage();
        String request = received.toStringContent(StandardCharsets.ISO_8859_1);
        if (!request.endsWith("\r\n\r\n")) {
            throw new IllegalStateException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + received.remaining()
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        context.write(Buffers.wrap(context.getMemoryManager(), answer, StandardCharsets.ISO_8859_1),
                new EmptyCompletionHandler<WriteResult>() {
                    @Override
                    public void completed(WriteResult written) {
                        if (!keepAlive) {
                            written.getConnection().closeSilently();
                        }
                    }
                });
        return context.getStopAction();
    }
}

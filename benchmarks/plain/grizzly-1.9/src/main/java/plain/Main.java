package plain;

import com.sun.grizzly.Context;
import com.sun.grizzly.Controller;
import com.sun.grizzly.DefaultProtocolChain;
import com.sun.grizzly.DefaultProtocolChainInstanceHandler;
import com.sun.grizzly.ProtocolChain;
import com.sun.grizzly.ProtocolFilter;
import com.sun.grizzly.TCPSelectorHandler;
import com.sun.grizzly.filter.ReadFilter;
import com.sun.grizzly.http.embed.GrizzlyWebServer;
import com.sun.grizzly.util.OutputWriter;
import com.sun.grizzly.util.WorkerThread;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Echo after the EchoFilter that Grizzly 1.9 ships, files by its GrizzlyWebServer as its API documentation uses it. */
public final class Main implements ProtocolFilter {
    public static void main(String[] arguments) throws IOException {
        InetAddress address = InetAddress.getByName(System.getenv("ADDRESS"));
        int port = Integer.parseInt(System.getenv("PORT"));
        if (!"echo".equals(System.getenv("WORKLOAD"))) {
            GrizzlyWebServer server = new GrizzlyWebServer(port, System.getenv("DOCROOT"));
            server.getSelectorThread().setInet(address);
            server.getSelectorThread().setTcpNoDelay(true);
            server.start();
            return;
        }
        ProtocolChain chain = new DefaultProtocolChain();
        chain.addFilter(new ReadFilter());
        chain.addFilter(new Main());
        TCPSelectorHandler selector = new TCPSelectorHandler();
        selector.setInet(address);
        selector.setPort(port);
        Controller controller = new Controller();
        controller.addSelectorHandler(selector);
        controller.setProtocolChainInstanceHandler(new DefaultProtocolChainInstanceHandler() {
            @Override
            public ProtocolChain poll() {
                return chain;
            }
        });
        controller.start();
    }

    @Override
    public boolean execute(Context context) throws IOException {
        ByteBuffer received = ((WorkerThread) Thread.currentThread()).getByteBuffer();
        received.flip();
        String request = StandardCharsets.ISO_8859_1.decode(received).toString();
        if (!request.endsWith("\r\n\r\n")) {
            throw new IOException("not one whole head");
        }
        boolean keepAlive = request.contains("Keep-Alive");
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + request.length()
                + "\r\nConnection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n" + request;
        OutputWriter.flushChannel(context.getSelectionKey().channel(),
                ByteBuffer.wrap(answer.getBytes(StandardCharsets.ISO_8859_1)));
        received.clear();
        if (!keepAlive) {
            context.setKeyRegistrationState(Context.KeyRegistrationState.CANCEL);
        }
        return false;
    }

    @Override
    public boolean postExecute(Context context) {
        return true;
    }
}

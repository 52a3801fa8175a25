package abrunner.cindy30;

import abrunner.harness.FileCache;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import net.sf.cindy.PacketDecoder;
import net.sf.cindy.Session;
import net.sf.cindy.SessionAcceptor;
import net.sf.cindy.SessionAcceptorHandlerAdapter;
import net.sf.cindy.SessionHandlerAdapter;
import net.sf.cindy.SessionType;
import net.sf.cindy.session.SessionFactory;
import net.sf.cindy.session.dispatcher.DirectDispatcher;
import net.sf.cindy.session.nio.ServerSocketChannelSession;
import net.sf.cindy.session.nio.SocketChannelSession;
import net.sf.cindy.util.Configuration;

/** Cindy 3.0, all of it on Cindy's one I/O thread. */
public final class CindyServer implements Server {
    /** How connections become sessions. */
    private enum Listener {
        /** A SessionAcceptor makes them. */
        ACCEPTOR,
        /** A ServerSocketChannelSession leaves it to its user. */
        SESSION
    }

    private final InetSocketAddress address;
    private final int backlog;
    private final Listener listener;
    private final FileCache files;
    private final PacketDecoder decoder = new RequestDecoder();

    CindyServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        listener = settings.choice("LISTENER", Listener.ACCEPTOR);
        files = new FileCache(settings);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(CindyServer::new);
    }

    @Override
    public void start() throws IOException {
        // As in the test of 2006. By itself Cindy has a thread for handlers beside the one for I/O.
        Configuration.set("dispatcher", DirectDispatcher.class.getName());
        boolean listens = listener == Listener.SESSION ? startSession() : startAcceptor();
        if (!listens) {
            throw new IOException("Cindy does not listen");
        }
    }

    private boolean startAcceptor() {
        // Cindy clears it on accepted sockets otherwise; then the port cannot be bound again for a minute.
        Configuration.set("session.reuseAddress", "true");
        SessionAcceptor acceptor = SessionFactory.createSessionAcceptor(SessionType.TCP);
        acceptor.setListenAddress(address);
        acceptor.setBacklog(backlog);
        acceptor.setReuseAddress(true);
        acceptor.setAcceptorHandler(new SessionAcceptorHandlerAdapter() {
            @Override
            public void sessionAccepted(SessionAcceptor itself, Session session) {
                begin(session);
            }

            @Override
            public void exceptionCaught(SessionAcceptor itself, Throwable cause) {
                cause.printStackTrace();
            }
        });
        acceptor.start();
        return acceptor.isStarted();
    }

    private boolean startSession() throws IOException {
        ServerSocketChannelSession server = new ServerSocketChannelSession() {
            @Override
            protected void buildSession(SocketChannel channel) {
                SocketChannelSession session = new SocketChannelSession();
                session.setChannel(channel);
                begin(session);
            }
        };
        server.setSessionHandler(new SessionHandlerAdapter() {
            @Override
            public void exceptionCaught(Session itself, Throwable cause) {
                cause.printStackTrace();
            }
        });
        server.setChannel(ServerSocketChannel.open().bind(address, backlog));
        return server.start().complete();
    }

    private void begin(Session session) {
        session.setPacketDecoder(decoder);
        session.setSessionHandler(new RequestHandler(files));
        session.start();
    }
}

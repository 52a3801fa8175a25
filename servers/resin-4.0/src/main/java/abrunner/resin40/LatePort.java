package abrunner.resin40;

import com.caucho.cloud.network.NetworkListenSystem;
import com.caucho.network.listen.TcpPort;
import com.caucho.resin.PortEmbed;
import com.caucho.server.cluster.ServletService;
import com.caucho.server.http.HttpProtocol;
import java.net.InetSocketAddress;

/**
 * Resin's HttpEmbed with the backlog that it has no setter for. It listens when it is told to: HttpEmbed opens its port
 * before there is anything to answer.
 */
final class LatePort extends PortEmbed {
    private final InetSocketAddress address;
    private final int backlog;
    private ServletService service;

    LatePort(InetSocketAddress address, int backlog) {
        this.address = address;
        setPort(address.getPort());
        this.backlog = backlog;
    }

    @Override
    public void bindTo(ServletService service) {
        this.service = service;
    }

    @Override
    public int getLocalPort() {
        return getPort();
    }

    void listen() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader outside = thread.getContextClassLoader();
        // By it the port finds the server that it works for.
        thread.setContextClassLoader(service.getClassLoader());
        try {
            TcpPort http = new TcpPort();
            http.setProtocol(new HttpProtocol());
            http.setAddress(address.getAddress().getHostAddress());
            http.setPort(address.getPort());
            http.setAcceptListenBacklog(backlog);
            http.setTcpNoDelay(true);
            http.init();
            http.bind();
            service.getResinSystem().getService(NetworkListenSystem.class).addListener(http);
            http.start();
        } finally {
            thread.setContextClassLoader(outside);
        }
    }
}

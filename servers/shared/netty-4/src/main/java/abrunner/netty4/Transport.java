package abrunner.netty4;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/** How a server talks to the operating system. */
public enum Transport {
    /** By the JDK. */
    NIO(NioServerSocketChannel.class),
    /** By Netty's native library. */
    EPOLL(EpollServerSocketChannel.class);

    private final Class<? extends ServerChannel> channel;

    Transport(Class<? extends ServerChannel> channel) {
        this.channel = channel;
    }

    /** The one that the environment names. */
    public static Transport of(Settings settings) {
        Transport transport = settings.choice("TRANSPORT", NIO);
        if (transport == EPOLL && !Epoll.isAvailable()) {
            throw new InvalidSetting("TRANSPORT=epoll needs Linux on x86-64, and Netty's library where Java finds it: "
                    + Epoll.unavailabilityCause());
        }
        return transport;
    }

    Class<? extends ServerChannel> channel() {
        return channel;
    }
}

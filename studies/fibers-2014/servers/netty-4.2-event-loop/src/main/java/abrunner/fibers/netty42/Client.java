package abrunner.fibers.netty42;

import abrunner.fibers.Service;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.AbstractChannelPoolMap;
import io.netty.channel.pool.ChannelPool;
import io.netty.channel.pool.SimpleChannelPool;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CompletableFuture;

/** Calls A and B. Each event loop has connections of its own, so that a request never changes threads. */
final class Client {
    private final URI services;
    private final AbstractChannelPoolMap<EventLoop, ChannelPool> connections = new AbstractChannelPoolMap<>() {
        @Override
        protected ChannelPool newPool(EventLoop loop) {
            return pool(loop);
        }
    };

    Client(URI services) {
        this.services = services;
    }

    /** Calls a service that takes so long; what is returned completes when it has answered with 200, or has not. */
    CompletableFuture<Void> call(EventLoop loop, int millis) {
        CompletableFuture<Void> outcome = new CompletableFuture<>();
        ChannelPool pool = connections.get(loop);
        pool.acquire().addListener((Future<Channel> connection) -> {
            if (connection.isSuccess()) {
                connection.getNow().pipeline().get(CallHandler.class).call(pool, millis, outcome);
            } else {
                outcome.completeExceptionally(connection.cause());
            }
        });
        return outcome;
    }

    private ChannelPool pool(EventLoop loop) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Service.TIMEOUT_MILLIS)
                .remoteAddress(InetSocketAddress.createUnresolved(services.getHost(), services.getPort()));
        return new SimpleChannelPool(bootstrap, new AbstractChannelPoolHandler() {
            @Override
            public void channelCreated(Channel connection) {
                connection.pipeline().addLast(new HttpClientCodec(), new CallHandler(services.getAuthority()));
            }
        });
    }
}

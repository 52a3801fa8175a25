package abrunner.netty4;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;

/** Answers each request of a connection with its own head. */
final class HttpEchoHandler extends HttpHandler {
    private static final byte[] NOTHING = {};

    @Override
    void take(ChannelHandlerContext context, Object message) {
        if (message instanceof EchoRequest) {
            EchoRequest request = (EchoRequest) message;
            write(context, HttpResponseStatus.OK, request.head(), request.keepsAlive());
        } else if (message instanceof HttpRequest) {
            write(context, HttpResponseStatus.BAD_REQUEST, NOTHING, false);
        }
    }
}

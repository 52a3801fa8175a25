package abrunner.grizzly4;

import abrunner.harness.RequestHeadReader;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.Grizzly;
import org.glassfish.grizzly.attributes.Attribute;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.http.HttpHeader;
import org.glassfish.grizzly.http.HttpRequestPacket;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.server.NetworkListener;

/**
 * Grizzly's HTTP filter as a listener has it, which also keeps the bytes of a head that is to be echoed: handlers see
 * only what was read out of them.
 */
final class HeadKeepingFilter extends HttpServerFilter {
    static final String ECHO = "/echo";
    private static final Attribute<byte[]> HEAD =
            Grizzly.DEFAULT_ATTRIBUTE_BUILDER.createAttribute(HeadKeepingFilter.class.getName() + ".head");

    HeadKeepingFilter(NetworkListener listener) {
        super(listener.isChunkingEnabled(), RequestHeadReader.MAX_HEAD, null, listener.getKeepAlive(), null,
                listener.getMaxRequestHeaders(), listener.getMaxResponseHeaders());
        // Otherwise it writes small letters over the names in its input.
        setPreserveHeaderCase(true);
    }

    /** The head of a request for /echo. */
    static byte[] head(HttpRequestPacket request) {
        return HEAD.get(request);
    }

    @Override
    protected boolean onHttpHeaderParsed(HttpHeader header, Buffer input, FilterChainContext context) {
        HttpRequestPacket request = (HttpRequestPacket) header;
        if (request.getRequestURIRef().getOriginalRequestURIBC().equals(ECHO)) {
            // The input starts with the head, and has been read to its end.
            byte[] head = new byte[input.position()];
            Buffer copy = input.duplicate();
            copy.flip();
            copy.get(head);
            HEAD.set(request, head);
        }
        return super.onHttpHeaderParsed(header, input, context);
    }
}

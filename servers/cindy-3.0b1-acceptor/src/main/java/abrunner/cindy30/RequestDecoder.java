package abrunner.cindy30;

import abrunner.harness.RequestHead;
import abrunner.harness.RequestHeadReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import net.sf.cindy.Buffer;
import net.sf.cindy.Packet;
import net.sf.cindy.PacketDecoder;
import net.sf.cindy.Session;

/** Takes a request's head from what has come in. Knows no bodies: the requests of a load test have none. */
final class RequestDecoder implements PacketDecoder {
    private static final byte[] END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Gives null while the head is not complete; Cindy then asks again, with the same bytes and those to come. */
    @Override
    public RequestHead decode(Session session, Packet packet) throws IOException {
        Buffer received = packet.getContent();
        int end = received.indexOf(END);
        int length = end < 0 ? received.remaining() : end + END.length - received.position();
        if (length > RequestHeadReader.MAX_HEAD) {
            throw new IOException("a head of more than " + RequestHeadReader.MAX_HEAD + " bytes");
        }
        if (end < 0) {
            return null;
        }
        byte[] head = new byte[length];
        received.get(head);
        return new RequestHead(head);
    }
}

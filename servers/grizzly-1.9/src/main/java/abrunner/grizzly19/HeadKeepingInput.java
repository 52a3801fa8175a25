package abrunner.grizzly19;

import com.sun.grizzly.tcp.Request;
import com.sun.grizzly.tcp.http11.InternalInputBuffer;
import java.io.IOException;
import java.util.Arrays;

/** Grizzly's input, which also keeps heads as they came: Grizzly writes small letters over the names in its own. */
final class HeadKeepingInput extends InternalInputBuffer {
    private final byte[] received;

    HeadKeepingInput(Request request, int size) {
        super(request, size);
        received = new byte[buf.length];
    }

    /** The head of the request that has been parsed. */
    byte[] head() {
        return Arrays.copyOf(received, end);
    }

    @Override
    protected boolean fill() throws IOException {
        int start = pos;
        boolean filled = super.fill();
        if (filled && parsingHeader) {
            System.arraycopy(buf, start, received, start, lastValid - start);
        }
        return filled;
    }

    @Override
    public void nextRequest() {
        // Moves what has come in of the next request to the front, as Grizzly does.
        System.arraycopy(received, pos, received, 0, lastValid - pos);
        super.nextRequest();
    }
}

package abrunner.grizzly19;

import abrunner.harness.EchoConnection;
import abrunner.harness.EchoStart;
import com.sun.grizzly.Context;
import com.sun.grizzly.ProtocolFilter;
import com.sun.grizzly.util.OutputWriter;
import com.sun.grizzly.util.SelectionKeyAttachment;
import com.sun.grizzly.util.Utils;
import com.sun.grizzly.util.WorkerThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/** Echoes heads below HTTP on connections that start with a request for /echo, and leaves all others to HTTP. */
final class EchoFilter implements ProtocolFilter {
    private static final long PATIENCE_MILLIS = 30_000;

    @Override
    public boolean execute(Context context) throws IOException {
        SelectionKey key = context.getSelectionKey();
        ByteBuffer input = ((WorkerThread) Thread.currentThread()).getByteBuffer();
        // Grizzly's HTTP attaches something of its own before it returns.
        if (key.attachment() == null && startsAsEcho(input, key)) {
            key.attach(new Echo());
        }
        if (!(key.attachment() instanceof Echo)) {
            return true;
        }
        EchoConnection connection = ((Echo) key.attachment()).connection;
        input.flip();
        byte[] bytes = new byte[input.remaining()];
        input.get(bytes);
        input.clear();
        byte[] answers = connection.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            OutputWriter.flushChannel(key.channel(), ByteBuffer.wrap(answers));
        }
        if (connection.isOver()) {
            context.setKeyRegistrationState(Context.KeyRegistrationState.CANCEL);
        }
        return false;
    }

    @Override
    public boolean postExecute(Context context) {
        return true;
    }

    /** If that cannot be told yet it waits for more, as Grizzly's HTTP does for the rest of a head. */
    private static boolean startsAsEcho(ByteBuffer input, SelectionKey key) throws IOException {
        while (EchoStart.fits(input.position(), input::get)) {
            if (input.position() >= EchoStart.LENGTH) {
                return true;
            }
            if (Utils.readWithTemporarySelector(key.channel(), input, PATIENCE_MILLIS).bytesRead <= 0) {
                return false;
            }
        }
        return false;
    }

    /** What a connection has that is not left to HTTP. */
    private static final class Echo extends SelectionKeyAttachment {
        private final EchoConnection connection = new EchoConnection();
    }
}

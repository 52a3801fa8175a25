package abrunner.grizzly4;

import abrunner.harness.EchoConnection;
import abrunner.harness.EchoStart;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.Connection;
import org.glassfish.grizzly.Grizzly;
import org.glassfish.grizzly.attributes.Attribute;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.memory.Buffers;

/** Echoes heads below HTTP on connections that start with a request for /echo, and leaves all others to HTTP. */
final class EchoFilter extends BaseFilter {
    private static final Attribute<EchoConnection> ECHO =
            Grizzly.DEFAULT_ATTRIBUTE_BUILDER.createAttribute(EchoFilter.class.getName());
    /** What a connection has that is left to HTTP. */
    private static final EchoConnection NONE = new EchoConnection();

    @Override
    public NextAction handleRead(FilterChainContext context) {
        Connection<?> connection = context.getConnection();
        Buffer input = context.getMessage();
        EchoConnection echo = ECHO.get(connection);
        if (echo == null) {
            if (!EchoStart.fits(input.remaining(), i -> input.get(input.position() + i))) {
                echo = NONE;
            } else if (input.remaining() < EchoStart.LENGTH) {
                // Comes again with what is read next.
                return context.getStopAction(input);
            } else {
                echo = new EchoConnection();
            }
            ECHO.set(connection, echo);
        }
        if (echo == NONE) {
            return context.getInvokeAction();
        }
        byte[] bytes = new byte[input.remaining()];
        input.get(bytes);
        input.tryDispose();
        byte[] answers = echo.receive(bytes, 0, bytes.length);
        if (answers.length > 0) {
            context.write(Buffers.wrap(context.getMemoryManager(), answers));
        }
        if (echo.isOver()) {
            // After all that is still to be written.
            connection.closeSilently();
        }
        return context.getStopAction();
    }
}

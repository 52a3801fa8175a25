package abrunner.waiting.actors;

import abrunner.waiting.Wait;
import co.paralleluniverse.actors.BasicActor;
import co.paralleluniverse.comsat.webactors.HttpRequest;
import co.paralleluniverse.comsat.webactors.HttpResponse;
import co.paralleluniverse.fibers.SuspendExecution;
import co.paralleluniverse.strands.Strand;
import java.util.Collection;

/** An actor that answers one request and ends: a client without a session gets one for each. */
public abstract class WaitActor extends BasicActor<Object, Void> {
    /** What is handed to the actor. On Netty the query is part of what is compared, hence the star. */
    public static final String PATTERN = Wait.PATH + "*";

    private static final long serialVersionUID = 1L;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;

    @Override
    protected final Void doRun() throws InterruptedException, SuspendExecution {
        Object message = receive();
        if (message instanceof HttpRequest) {
            HttpRequest request = (HttpRequest) message;
            request.getFrom().send(answer(request));
        }
        return null;
    }

    private HttpResponse answer(HttpRequest request) throws InterruptedException, SuspendExecution {
        if (!request.getPathInfo().equals(Wait.PATH)) {
            return HttpResponse.error(self(), request, NOT_FOUND, "no such page").build();
        }
        // Undertow's requests have no query string here, but parameters.
        Collection<String> values = request.getParameters().get("ms");
        int millis = values.isEmpty() ? Wait.INVALID : Wait.parse(values.iterator().next());
        if (millis == Wait.INVALID) {
            return HttpResponse.error(self(), request, BAD_REQUEST, "no such wait").build();
        }
        if (millis > 0) {
            Strand.sleep(millis);
        }
        return HttpResponse.ok(self(), request, Wait.buffer()).setContentType(Wait.CONTENT_TYPE).build();
    }
}

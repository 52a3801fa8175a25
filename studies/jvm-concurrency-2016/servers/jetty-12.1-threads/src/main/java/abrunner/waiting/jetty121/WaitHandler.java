package abrunner.waiting.jetty121;

import abrunner.waiting.Wait;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers after having slept. As shipped a handler counts as one that blocks, and gets a thread for each request. */
final class WaitHandler extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!Request.getPathInContext(request).equals(Wait.PATH)) {
            // What nobody has handled is not found.
            return false;
        }
        int millis = Wait.millis(request.getHttpURI().getQuery());
        if (millis == Wait.INVALID) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return true;
        }
        Wait.block(millis);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Wait.CONTENT_TYPE);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, Wait.bytes().length);
        response.write(true, Wait.buffer(), callback);
        return true;
    }
}

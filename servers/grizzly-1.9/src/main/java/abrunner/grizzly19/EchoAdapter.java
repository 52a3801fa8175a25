package abrunner.grizzly19;

import com.sun.grizzly.tcp.http11.GrizzlyAdapter;
import com.sun.grizzly.tcp.http11.GrizzlyRequest;
import com.sun.grizzly.tcp.http11.GrizzlyResponse;
import java.io.IOException;

/** Answers each request with its own head. */
final class EchoAdapter extends GrizzlyAdapter {
    static final String ECHO = "/echo";

    @Override
    public void service(GrizzlyRequest request, GrizzlyResponse response) throws IOException {
        byte[] head = ((HeadKeepingInput) request.getRequest().getInputBuffer()).head();
        response.setContentType("text/plain");
        response.setContentLength(head.length);
        response.getOutputStream().write(head);
    }
}

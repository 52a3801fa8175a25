package abrunner.grizzly19;

import com.sun.grizzly.tcp.http11.GrizzlyAdapter;
import com.sun.grizzly.tcp.http11.GrizzlyRequest;
import com.sun.grizzly.tcp.http11.GrizzlyResponse;

/** Answers with files, by what all of Grizzly's adapters bring with them. */
final class FileAdapter extends GrizzlyAdapter {
    FileAdapter(String docroot) {
        super(docroot);
        setHandleStaticResources(true);
        // By itself it looks for a Java 1.6 or 1.7 of which it knows that it can.
        setUseSendFile(true);
    }

    /** Is called for what is no file. */
    @Override
    public void service(GrizzlyRequest request, GrizzlyResponse response) {
        response.setStatus(404);
    }
}

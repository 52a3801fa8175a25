package abrunner.grizzly19;

import com.sun.grizzly.tcp.http11.GrizzlyAdapter;
import com.sun.grizzly.tcp.http11.GrizzlyRequest;
import com.sun.grizzly.tcp.http11.GrizzlyResponse;

/** Answers with files, by what all of Grizzly's adapters bring with them. */
final class FileAdapter extends GrizzlyAdapter {
    FileAdapter(String docroot) {
        super(docroot);
        setHandleStaticResources(true);
    }

    /** Is called for what is no file. */
    @Override
    public void service(GrizzlyRequest request, GrizzlyResponse response) {
        response.setStatus(404);
    }
}

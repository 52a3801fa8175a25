package abrunner.fibers.today;

import abrunner.fibers.Service;
import abrunner.harness.Settings;
import abrunner.harness.ThreadKind;
import jakarta.servlet.http.HttpServlet;
import java.util.Map;

/** The servlets that each container gets. */
public final class Servlets {
    private Servlets() {
    }

    /** Returns them by the paths that they answer; all are asynchronous, or may be. */
    public static Map<String, HttpServlet> byPath(Settings settings, ThreadKind kind) {
        Service service = new Service(new ApacheClient(settings));
        return Map.of(
                "/service", new AnswerServlet(service::answer),
                "/internal", kind == ThreadKind.VIRTUAL
                        ? new AnswerServlet(Internal::answer)
                        : new AsynchronousInternalServlet());
    }
}

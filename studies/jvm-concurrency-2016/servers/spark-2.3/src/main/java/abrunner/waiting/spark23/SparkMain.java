package abrunner.waiting.spark23;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.Wait;
import javax.servlet.http.HttpServletResponse;
import spark.Request;
import spark.Response;
import spark.Spark;

/** Spark 2.3, whose thread sleeps. It has no setting for a backlog, and answers in chunks. */
public final class SparkMain implements Server {
    private final Settings settings;
    private final int threads;

    private SparkMain(Settings settings) {
        this.settings = settings;
        this.threads = settings.threads();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(SparkMain::server));
    }

    static Server server(Settings settings) {
        return new SparkMain(settings);
    }

    @Override
    public void start() {
        // Read when its logger is made, which Spark brings: it says on stderr how it starts.
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        Spark.ipAddress(settings.host());
        Spark.port(settings.port());
        Spark.threadPool(threads);
        Spark.get(Wait.PATH, SparkMain::answer);
        Spark.awaitInitialization();
    }

    private static String answer(Request request, Response response) {
        int millis = Wait.millis(request.queryString());
        if (millis == Wait.INVALID) {
            response.status(HttpServletResponse.SC_BAD_REQUEST);
            return "no such wait";
        }
        Wait.block(millis);
        response.type(Wait.CONTENT_TYPE);
        return Wait.TEXT;
    }
}

package abrunner.fibers.servlets2014;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import co.paralleluniverse.fibers.Suspendable;
import co.paralleluniverse.fibers.httpclient.FiberHttpClientBuilder;
import co.paralleluniverse.fibers.servlet.FiberHttpServlet;
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.util.EntityUtils;

/**
 * /service on fibers: the thread that accepts a request starts a fiber and is free again. As {@link abrunner.fibers.Service},
 * but each method that may suspend has to say so.
 */
final class FiberServiceServlet extends FiberHttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int IO_THREADS = 1;

    private final transient CloseableHttpClient client = FiberHttpClientBuilder.create(IO_THREADS)
            .setMaxConnPerRoute(ThreadClient.MAX_CONNECTIONS)
            .setMaxConnTotal(ThreadClient.MAX_CONNECTIONS)
            .setDefaultRequestConfig(ThreadClient.TIMEOUTS)
            .build();
    private final String internal;

    FiberServiceServlet(String internal) {
        this.internal = internal;
    }

    @Override
    @Suspendable
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answers.write(response, answer(request.getParameter(Sleep.PARAMETER)));
    }

    @Suspendable
    private Answer answer(String sleep) {
        try {
            int millis = Sleep.millis(sleep);
            call(Sleep.A_MILLIS);
            if (millis > 0) {
                call(millis);
            }
            return Answer.OK;
        } catch (Sleep.InvalidSleep invalid) {
            return Answer.INVALID_SLEEP;
        } catch (IOException failed) {
            return Answer.FAILED;
        }
    }

    @Suspendable
    private void call(int millis) throws IOException {
        CloseableHttpResponse response = client.execute(new HttpGet(internal + millis));
        // It is all there: the client of fibers hands over whole answers.
        EntityUtils.consume(response.getEntity());
        if (response.getStatusLine().getStatusCode() != Answer.OK.status()) {
            throw new IOException("status " + response.getStatusLine().getStatusCode());
        }
    }
}

package abrunner.fibers.servlets2014;

import abrunner.fibers.Answer;
import abrunner.fibers.Service;
import java.io.IOException;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Apache's HttpClient, with the limits of 2014: it blocks the thread of the request. */
final class ThreadClient implements Service.Client {
    static final int MAX_CONNECTIONS = 120_000;
    static final RequestConfig TIMEOUTS = RequestConfig.custom()
            .setConnectionRequestTimeout(Service.TIMEOUT_MILLIS)
            .setConnectTimeout(Service.TIMEOUT_MILLIS)
            .setSocketTimeout(Service.TIMEOUT_MILLIS)
            .build();

    private final CloseableHttpClient client = HttpClients.custom()
            .setMaxConnPerRoute(MAX_CONNECTIONS)
            .setMaxConnTotal(MAX_CONNECTIONS)
            .setDefaultRequestConfig(TIMEOUTS)
            .build();
    private final String internal;

    ThreadClient(String internal) {
        this.internal = internal;
    }

    @Override
    public void call(int millis) throws IOException {
        try (CloseableHttpResponse response = client.execute(new HttpGet(internal + millis))) {
            // Or else the connection is not kept.
            EntityUtils.consume(response.getEntity());
            if (response.getStatusLine().getStatusCode() != Answer.OK.status()) {
                throw new IOException("status " + response.getStatusLine().getStatusCode());
            }
        }
    }
}

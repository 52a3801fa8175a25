package abrunner.fibers.today;

import abrunner.fibers.Answer;
import abrunner.fibers.Service;
import abrunner.fibers.Services;
import abrunner.harness.Settings;
import java.io.IOException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.util.Timeout;

/**
 * Apache's HttpClient, as in 2014, with the same limits. It blocks its caller and has no threads of its own: the JDK's client
 * hands each call to others and back, for more than twice the CPU time.
 */
public final class ApacheClient implements Service.Client {
    private static final int MAX_CONNECTIONS = 120_000;
    private static final Timeout TIMEOUT = Timeout.ofMilliseconds(Service.TIMEOUT_MILLIS);

    private final CloseableHttpClient client = HttpClients.custom()
            .setConnectionManager(connections())
            .setDefaultRequestConfig(RequestConfig.custom()
                    .setConnectionRequestTimeout(TIMEOUT)
                    .setResponseTimeout(TIMEOUT)
                    .build())
            .build();
    private final String internal;

    public ApacheClient(Settings settings) {
        internal = Services.from(settings) + "/internal?sleep=";
    }

    @Override
    public void call(int millis) throws IOException {
        client.execute(new HttpGet(internal + millis), ApacheClient::requireOk);
    }

    private static HttpClientConnectionManager connections() {
        return PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnPerRoute(MAX_CONNECTIONS)
                .setMaxConnTotal(MAX_CONNECTIONS)
                .setDefaultConnectionConfig(ConnectionConfig.custom().setConnectTimeout(TIMEOUT).build())
                .build();
    }

    private static Void requireOk(ClassicHttpResponse response) throws IOException {
        // Or else the connection is not kept.
        EntityUtils.consume(response.getEntity());
        if (response.getCode() != Answer.OK.status()) {
            throw new IOException("status " + response.getCode());
        }
        return null;
    }
}

package abrunner.vertx5;

import abrunner.harness.FileCache;
import abrunner.harness.HttpDate;
import abrunner.harness.ServedFile;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.channels.FileChannel;

/** Answers with files. */
final class FileHandler implements Handler<HttpServerRequest> {
    private final FileCache files;

    FileHandler(FileCache files) {
        this.files = files;
    }

    @Override
    public void handle(HttpServerRequest request) {
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        HttpServerResponse response = request.response().putHeader(HttpHeaders.DATE, HttpDate.now());
        if (!isHead && !request.method().equals(HttpMethod.GET)) {
            response.setStatusCode(HttpURLConnection.HTTP_BAD_METHOD).end();
            return;
        }
        ServedFile file = files.find(request.uri());
        if (file == null) {
            response.setStatusCode(HttpURLConnection.HTTP_NOT_FOUND).end();
            return;
        }
        response.putHeader(HttpHeaders.CONTENT_TYPE, file.contentType());
        response.putHeader(HttpHeaders.LAST_MODIFIED, file.lastModified());
        if (isHead) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(file.length())).end();
        } else if (file.content() != null) {
            response.end(Buffer.buffer(file.content()));
        } else {
            send(response, file);
        }
    }

    private static void send(HttpServerResponse response, ServedFile file) {
        try {
            FileChannel content = file.open();
            response.sendFile(content, 0, file.length()).onComplete(done -> close(content));
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    private static void close(FileChannel content) {
        try {
            content.close();
        } catch (IOException unusual) {
            throw new UncheckedIOException(unusual);
        }
    }
}

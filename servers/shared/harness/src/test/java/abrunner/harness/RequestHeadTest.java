package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestHeadTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "false | GET / HTTP/1.0",
            "true  | GET / HTTP/1.0~Connection: keep-alive",
            "true  | GET / HTTP/1.0~Host: a~CONNECTION:Keep-Alive~X: y",
            "true  | GET / HTTP/1.0~Connection: x, keep-alive",
            "false | GET / HTTP/1.0~Connection: keep-alive, close",
            "false | GET / HTTP/1.0~Connection: keep-alive-not",
            "false | GET / HTTP/1.0~X-Connection: keep-alive",
            "false | GET / HTTP/1.0~Proxy: Connection: keep-alive",
            "true  | GET / HTTP/1.1",
            "true  | GET / HTTP/1.1~Connection: upgrade",
            "false | GET / HTTP/1.1~Connection: Close",
            "false | GET / HTTP/1.1~Connection: keep-alive~Connection: close",
            "false | GET /~Connection: keep-alive",
            "false | GET /Connection:~Connection: keep-alive",
            "false | ''~Connection: keep-alive",
            "false | HTTP/1.1",
            "false | GET / HTTP/2.0~Connection: keep-alive",
    })
    void keepsAliveAsTheClientAsks(boolean expected, String lines) {
        String head = lines.replace("''", "").replace("~", "\r\n") + "\r\n\r\n";
        assertEquals(expected, new RequestHead(head.getBytes(StandardCharsets.ISO_8859_1)).keepsAlive(), head);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "GET      | /a?b  | GET /a?b HTTP/1.0~Host: a",
            "HEAD     | /%20+ | HEAD /%20+ HTTP/1.1",
            "HTTP/1.1 | ''    | HTTP/1.1",
            "''       | ''    | ''~GET / HTTP/1.0",
    })
    void tellsMethodAndTarget(String method, String target, String lines) {
        String text = lines.replace("''", "").replace("~", "\r\n") + "\r\n\r\n";
        RequestHead head = new RequestHead(text.getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(method, head.method());
        assertEquals(target, head.target());
    }
}

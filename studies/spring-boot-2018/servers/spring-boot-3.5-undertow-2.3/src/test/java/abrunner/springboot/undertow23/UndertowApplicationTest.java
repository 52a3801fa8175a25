package abrunner.springboot.undertow23;

import abrunner.springboot.ApplicationContract;

class UndertowApplicationTest extends ApplicationContract {
    UndertowApplicationTest() {
        super(UndertowApplication::create, 162, "HTTP/1.1 200 OK", "Connection: keep-alive",
                "Content-Type: text/plain;charset=UTF-8", "Content-Length: 22", DATE);
    }
}

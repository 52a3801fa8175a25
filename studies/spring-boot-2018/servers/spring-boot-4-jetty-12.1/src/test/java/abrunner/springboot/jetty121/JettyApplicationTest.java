package abrunner.springboot.jetty121;

import abrunner.springboot.ApplicationContract;

class JettyApplicationTest extends ApplicationContract {
    JettyApplicationTest() {
        super(JettyApplication::create, 138, "HTTP/1.1 200 OK", DATE, "Content-Type: text/plain;charset=utf-8",
                "Content-Length: 22");
    }
}

package abrunner.springboot.tomcat11;

import abrunner.springboot.ApplicationContract;

class TomcatApplicationTest extends ApplicationContract {
    TomcatApplicationTest() {
        super(TomcatApplication::create, 136, "HTTP/1.1 200 ", "Content-Type: text/plain;charset=UTF-8",
                "Content-Length: 22", DATE);
    }
}

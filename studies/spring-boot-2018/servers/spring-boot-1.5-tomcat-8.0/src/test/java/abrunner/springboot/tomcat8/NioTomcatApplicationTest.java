package abrunner.springboot.tomcat8;

import abrunner.springboot.ApplicationContract;

class NioTomcatApplicationTest extends ApplicationContract {
    NioTomcatApplicationTest() {
        super(TomcatApplication::create, 165, "HTTP/1.1 200 OK", "Server: Apache-Coyote/1.1",
                "Content-Type: text/plain;charset=UTF-8", "Content-Length: 22", DATE);
    }
}

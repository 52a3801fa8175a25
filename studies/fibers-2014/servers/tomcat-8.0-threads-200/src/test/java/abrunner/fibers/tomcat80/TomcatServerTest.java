package abrunner.fibers.tomcat80;

import abrunner.fibers.ServiceContract;

class TomcatServerTest extends ServiceContract {
    TomcatServerTest() {
        super(TomcatServer::new, true);
    }
}

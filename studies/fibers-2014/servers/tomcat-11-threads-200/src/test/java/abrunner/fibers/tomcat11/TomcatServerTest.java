package abrunner.fibers.tomcat11;

import abrunner.fibers.ServiceContract;

class TomcatServerTest extends ServiceContract {
    TomcatServerTest() {
        super(TomcatServer::new, true);
    }
}

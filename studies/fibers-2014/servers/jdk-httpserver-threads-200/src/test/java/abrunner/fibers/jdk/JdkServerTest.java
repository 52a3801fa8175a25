package abrunner.fibers.jdk;

import abrunner.fibers.ServiceContract;

class JdkServerTest extends ServiceContract {
    JdkServerTest() {
        super(JdkServer::new, true);
    }
}

package abrunner.fibers.undertow10;

import abrunner.fibers.ServiceContract;

class UndertowServerTest extends ServiceContract {
    UndertowServerTest() {
        super(UndertowServer::new, true, "WORKER_THREADS=8");
    }
}

package abrunner.waiting.jetty121;

import abrunner.waiting.WaitContract;

class JettyMainTest extends WaitContract {
    JettyMainTest() {
        super(JettyMain::server, "THREADS=40");
    }
}

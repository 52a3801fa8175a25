package abrunner.waiting.tomcat11;

import abrunner.waiting.WaitContract;

class TomcatMainTest extends WaitContract {
    TomcatMainTest() {
        super(TomcatMain::server, "THREADS=40");
    }
}

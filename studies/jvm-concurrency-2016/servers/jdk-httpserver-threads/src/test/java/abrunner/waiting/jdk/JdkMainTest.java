package abrunner.waiting.jdk;

import abrunner.waiting.WaitContract;

class JdkMainTest extends WaitContract {
    JdkMainTest() {
        super(JdkMain::server, "THREADS=40");
    }
}

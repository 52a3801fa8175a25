package abrunner.waiting.tomcat80;

import abrunner.waiting.WaitContract;

class TomcatMainTest extends WaitContract {
    TomcatMainTest() {
        super(TomcatMain::server,
                "HANDLER=sync THREADS=40", "HANDLER=dispatch THREADS=40", "HANDLER=async THREADS=16");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return mode.contains("async");
    }
}

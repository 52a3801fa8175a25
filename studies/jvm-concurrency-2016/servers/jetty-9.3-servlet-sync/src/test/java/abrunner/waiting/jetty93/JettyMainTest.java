package abrunner.waiting.jetty93;

import abrunner.waiting.WaitContract;

class JettyMainTest extends WaitContract {
    JettyMainTest() {
        super(JettyMain::server,
                "HANDLER=sync THREADS=40", "HANDLER=dispatch THREADS=40", "HANDLER=async THREADS=16",
                "API=handler HANDLER=sync THREADS=40", "API=handler HANDLER=dispatch THREADS=40",
                "API=handler HANDLER=queue THREADS=16");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return mode.contains("async") || mode.contains("queue");
    }
}

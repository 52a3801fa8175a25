package abrunner.waiting.undertow13;

import abrunner.waiting.WaitContract;

class UndertowMainTest extends WaitContract {
    UndertowMainTest() {
        super(UndertowMain::server,
                "HANDLER=sync IO_THREADS=4 WORKER_THREADS=40", "HANDLER=dispatch IO_THREADS=4 WORKER_THREADS=40",
                "HANDLER=async IO_THREADS=4 WORKER_THREADS=4",
                "API=handler HANDLER=sync IO_THREADS=40 WORKER_THREADS=4",
                "API=handler HANDLER=dispatch IO_THREADS=4 WORKER_THREADS=4",
                "API=handler HANDLER=queue IO_THREADS=4 WORKER_THREADS=4");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return !mode.contains("_THREADS=40");
    }
}

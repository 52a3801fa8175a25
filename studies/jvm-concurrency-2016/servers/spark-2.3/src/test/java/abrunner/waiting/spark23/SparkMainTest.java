package abrunner.waiting.spark23;

import abrunner.waiting.WaitContract;

class SparkMainTest extends WaitContract {
    SparkMainTest() {
        super(SparkMain::server, "THREADS=40");
    }

    @Override
    protected boolean isChunked() {
        return true;
    }
}

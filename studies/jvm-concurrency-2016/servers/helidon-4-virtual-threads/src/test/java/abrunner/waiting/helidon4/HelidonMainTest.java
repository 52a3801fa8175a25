package abrunner.waiting.helidon4;

import abrunner.waiting.WaitContract;

class HelidonMainTest extends WaitContract {
    HelidonMainTest() {
        super(HelidonMain::server, "");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return true;
    }
}

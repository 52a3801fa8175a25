package abrunner.waiting.jetty121;

import abrunner.waiting.WaitContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJettyMainTest extends WaitContract {
    VirtualThreadsJettyMainTest() {
        super(JettyMain::server, "THREAD_KIND=virtual THREADS=16");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return true;
    }
}

package abrunner.waiting.jdk;

import abrunner.waiting.WaitContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJdkMainTest extends WaitContract {
    VirtualThreadsJdkMainTest() {
        super(JdkMain::server, "THREAD_KIND=virtual THREADS=16");
    }

    @Override
    protected boolean isUnlimited(String mode) {
        return true;
    }
}

package abrunner.jdk;

import abrunner.harness.VirtualThreadsContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJdkServerTest extends VirtualThreadsContract {
    VirtualThreadsJdkServerTest() {
        super(JdkServer::new);
    }
}

package abrunner.fibers.jdk;

import abrunner.fibers.ServiceContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJdkServerTest extends ServiceContract {
    VirtualThreadsJdkServerTest() {
        super(JdkServer::new, false, "THREAD_KIND=virtual");
    }
}

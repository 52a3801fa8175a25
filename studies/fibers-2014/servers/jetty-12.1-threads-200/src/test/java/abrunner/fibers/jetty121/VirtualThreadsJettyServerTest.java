package abrunner.fibers.jetty121;

import abrunner.fibers.ServiceContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJettyServerTest extends ServiceContract {
    VirtualThreadsJettyServerTest() {
        super(JettyServer::new, false, "THREAD_KIND=virtual");
    }
}

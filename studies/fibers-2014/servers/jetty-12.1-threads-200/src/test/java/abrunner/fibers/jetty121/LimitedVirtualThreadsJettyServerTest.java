package abrunner.fibers.jetty121;

import abrunner.fibers.ServiceContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Jetty limits its virtual threads as shipped: they collapse like a pool. */
@EnabledForJreRange(min = JRE.JAVA_21)
class LimitedVirtualThreadsJettyServerTest extends ServiceContract {
    LimitedVirtualThreadsJettyServerTest() {
        super(JettyServer::new, true, "THREAD_KIND=virtual", "MAX_VIRTUAL_THREADS=8");
    }
}

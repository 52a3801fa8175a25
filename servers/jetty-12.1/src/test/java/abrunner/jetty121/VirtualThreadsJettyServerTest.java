package abrunner.jetty121;

import abrunner.harness.VirtualThreadsContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJettyServerTest extends VirtualThreadsContract {
    VirtualThreadsJettyServerTest() {
        super(JettyServer::new);
    }
}

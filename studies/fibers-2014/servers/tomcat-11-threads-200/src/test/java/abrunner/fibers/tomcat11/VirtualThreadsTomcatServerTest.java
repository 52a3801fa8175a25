package abrunner.fibers.tomcat11;

import abrunner.fibers.ServiceContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTomcatServerTest extends ServiceContract {
    VirtualThreadsTomcatServerTest() {
        super(TomcatServer::new, false, "THREAD_KIND=virtual");
    }
}

package abrunner.tomcat11;

import abrunner.harness.VirtualThreadsContract;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTomcatServerTest extends VirtualThreadsContract {
    VirtualThreadsTomcatServerTest() {
        super(TomcatServer::new);
    }
}

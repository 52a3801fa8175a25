package abrunner.fibers.jetty121;

import java.util.Map;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Jetty limits its virtual threads as shipped: they collapse like a pool. */
@EnabledForJreRange(min = JRE.JAVA_21)
class LimitedVirtualThreadsJettyServerTest extends VirtualThreadsJettyServerTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("MAX_VIRTUAL_THREADS", "8");
        return variant;
    }

    @Override
    protected boolean holdsThreads() {
        return true;
    }
}

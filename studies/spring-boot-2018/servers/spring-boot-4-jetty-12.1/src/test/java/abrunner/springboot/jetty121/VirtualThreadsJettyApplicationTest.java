package abrunner.springboot.jetty121;

import java.util.Map;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJettyApplicationTest extends JettyApplicationTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("VIRTUAL_THREADS", "true");
        return variant;
    }
}

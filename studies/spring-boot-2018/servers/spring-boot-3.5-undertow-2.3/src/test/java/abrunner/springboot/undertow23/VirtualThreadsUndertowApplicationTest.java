package abrunner.springboot.undertow23;

import java.util.Map;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsUndertowApplicationTest extends UndertowApplicationTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("VIRTUAL_THREADS", "true");
        return variant;
    }
}

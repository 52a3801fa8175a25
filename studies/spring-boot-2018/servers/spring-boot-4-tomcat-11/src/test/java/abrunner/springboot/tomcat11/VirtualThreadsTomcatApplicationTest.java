package abrunner.springboot.tomcat11;

import java.util.Map;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTomcatApplicationTest extends TomcatApplicationTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("VIRTUAL_THREADS", "true");
        return variant;
    }
}

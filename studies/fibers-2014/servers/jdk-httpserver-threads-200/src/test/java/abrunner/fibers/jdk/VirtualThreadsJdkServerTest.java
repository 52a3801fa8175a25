package abrunner.fibers.jdk;

import abrunner.fibers.Server;
import abrunner.fibers.ServiceContract;
import abrunner.fibers.Settings;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsJdkServerTest extends ServiceContract {
    @Override
    protected Server server(Settings settings) {
        return new JdkServer(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("THREAD_KIND", "virtual");
        return variant;
    }

    @Override
    protected boolean holdsThreads() {
        return false;
    }
}

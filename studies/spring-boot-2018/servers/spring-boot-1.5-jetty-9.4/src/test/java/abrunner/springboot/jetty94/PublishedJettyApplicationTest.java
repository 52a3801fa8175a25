package abrunner.springboot.jetty94;

import java.util.Map;
import org.apache.logging.log4j.Level;

class PublishedJettyApplicationTest extends JettyApplicationTest {
    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("LOGGING", "published");
        return variant;
    }

    @Override
    protected Level level() {
        return Level.ALL;
    }
}

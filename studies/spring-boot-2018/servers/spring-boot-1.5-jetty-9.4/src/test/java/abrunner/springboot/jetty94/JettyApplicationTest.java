package abrunner.springboot.jetty94;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import abrunner.springboot.ApplicationContract;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.async.AsyncLoggerConfig;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.junit.jupiter.api.Test;

class JettyApplicationTest extends ApplicationContract {
    JettyApplicationTest() {
        super(JettyApplication::create, 138, "HTTP/1.1 200 OK", DATE, "Content-Type: text/plain;charset=utf-8",
                "Content-Length: 22");
    }

    /** The level of what is not Spring. */
    protected Level level() {
        return Level.INFO;
    }

    @Test
    void logsAsynchronouslyFromWhereItWasCalled() {
        LoggerConfig root = ((LoggerContext) LogManager.getContext(false)).getConfiguration().getRootLogger();
        assertInstanceOf(AsyncLoggerConfig.class, root);
        assertTrue(root.isIncludeLocation());
        assertEquals(level(), root.getLevel());
        assertEquals(level(), LogManager.getLogger("org.eclipse.jetty").getLevel());
        assertEquals(Level.ERROR, LogManager.getLogger("org.springframework.web").getLevel());
    }
}

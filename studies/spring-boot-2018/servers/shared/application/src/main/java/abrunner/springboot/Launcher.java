package abrunner.springboot;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.io.PrintStream;
import java.util.Map;
import java.util.function.Function;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** The main program that all applications share. */
public final class Launcher {
    static final int STARTED = 0;
    static final int FAILED = 1;
    static final int INVALID_SETTING = 2;

    private Launcher() {
    }

    /** Starts an application by the environment, and says so. The threads of its server keep the process alive. */
    public static void launch(Function<Settings, SpringApplication> constructor) {
        int outcome = run(constructor, System.getenv(), System.out, System.err);
        if (outcome != STARTED) {
            System.exit(outcome);
        }
    }

    static int run(Function<Settings, SpringApplication> constructor, Map<String, String> environment, PrintStream out,
            PrintStream err) {
        Settings settings;
        try {
            settings = Settings.from(environment);
            start(constructor, settings);
        } catch (InvalidSetting invalid) {
            err.println(invalid.getMessage());
            return INVALID_SETTING;
        } catch (RuntimeException broken) {
            // Spring Boot has said why, in its log.
            return FAILED;
        }
        out.println("ready on port " + settings.port());
        out.flush();
        return STARTED;
    }

    /** When this returns, a request that comes in is answered. */
    static ConfigurableApplicationContext start(Function<Settings, SpringApplication> constructor, Settings settings) {
        Properties properties = new Properties(settings, SpringBootVersion.getVersion());
        Map<String, Object> byName = properties.byName();
        // Before any class of Spring's that logs: the first of them makes log4j read its configuration.
        System.setProperty("abrunner.root-level", properties.rootLevel());
        SpringApplication application = constructor.apply(settings);
        application.setDefaultProperties(byName);
        application.addInitializers((ApplicationContextInitializer<ConfigurableApplicationContext>) context ->
                context.getBeanFactory().registerSingleton("settings", settings));
        return application.run();
    }
}

package abrunner.springboot.undertow;

import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.embedded.EmbeddedServletContainerCustomizer;
import org.springframework.boot.context.embedded.undertow.UndertowEmbeddedServletContainerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.xnio.Options;

/** Spring Boot 1.5 on Undertow 1.4, and on 2.0: the version is the only difference. */
@SpringBootApplication
@Import(TestController.class)
public class UndertowApplication {
    public static void main(String[] arguments) {
        Launcher.launch(UndertowApplication::create);
    }

    static SpringApplication create(Settings settings) {
        return new SpringApplication(UndertowApplication.class);
    }

    @Bean
    EmbeddedServletContainerCustomizer backlog(Settings settings) {
        return container -> ((UndertowEmbeddedServletContainerFactory) container)
                .addBuilderCustomizers(builder -> builder.setSocketOption(Options.BACKLOG, settings.backlog()));
    }
}

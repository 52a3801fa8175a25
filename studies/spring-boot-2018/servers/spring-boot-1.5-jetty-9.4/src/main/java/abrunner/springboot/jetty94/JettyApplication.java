package abrunner.springboot.jetty94;

import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.embedded.EmbeddedServletContainerCustomizer;
import org.springframework.boot.context.embedded.jetty.JettyEmbeddedServletContainerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Spring Boot 1.5 on Jetty 9.4. */
@SpringBootApplication
@Import(TestController.class)
public class JettyApplication {
    public static void main(String[] arguments) {
        Launcher.launch(JettyApplication::create);
    }

    static SpringApplication create(Settings settings) {
        return new SpringApplication(JettyApplication.class);
    }

    @Bean
    EmbeddedServletContainerCustomizer backlog(Settings settings) {
        return container -> ((JettyEmbeddedServletContainerFactory) container)
                .addServerCustomizers(server -> setBacklog(server, settings.backlog()));
    }

    private static void setBacklog(Server server, int backlog) {
        for (Connector connector : server.getConnectors()) {
            ((ServerConnector) connector).setAcceptQueueSize(backlog);
        }
    }
}

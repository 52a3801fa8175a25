package abrunner.springboot.jetty121;

import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jetty.ConfigurableJettyWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Spring Boot 4 on Jetty 12.1. */
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
    WebServerFactoryCustomizer<ConfigurableJettyWebServerFactory> backlog(Settings settings) {
        return factory -> factory.addServerCustomizers(server -> setBacklog(server, settings.backlog()));
    }

    private static void setBacklog(Server server, int backlog) {
        for (Connector connector : server.getConnectors()) {
            ((ServerConnector) connector).setAcceptQueueSize(backlog);
        }
    }
}

package abrunner.springboot.tomcat8;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.apache.catalina.core.AprLifecycleListener;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.embedded.EmbeddedServletContainerCustomizer;
import org.springframework.boot.context.embedded.tomcat.TomcatEmbeddedServletContainerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Spring Boot 1.5 on Tomcat 8.0, and on 8.5: the version is the only difference. */
@SpringBootApplication
@Import(TestController.class)
public class TomcatApplication {
    /** How connections are served. */
    private enum Protocol {
        /** A poller in C: Apache's portable runtime. */
        APR("org.apache.coyote.http11.Http11AprProtocol"),
        /** Selectors, as shipped. */
        NIO("org.apache.coyote.http11.Http11NioProtocol");

        private final String handler;

        Protocol(String handler) {
            this.handler = handler;
        }

        static Protocol of(Settings settings) {
            return settings.choice("PROTOCOL", NIO);
        }
    }

    public static void main(String[] arguments) {
        Launcher.launch(TomcatApplication::create);
    }

    static SpringApplication create(Settings settings) {
        // Without it Tomcat starts all the same, only its connector does not.
        if (Protocol.of(settings) == Protocol.APR && !hasNativeLibrary()) {
            throw new InvalidSetting("PROTOCOL=apr needs libtcnative-1 (Debian: apt-get install libtcnative-1)");
        }
        return new SpringApplication(TomcatApplication.class);
    }

    @Bean
    EmbeddedServletContainerCustomizer protocol(Settings settings) {
        Protocol protocol = Protocol.of(settings);
        return container -> {
            TomcatEmbeddedServletContainerFactory tomcat = (TomcatEmbeddedServletContainerFactory) container;
            tomcat.setProtocol(protocol.handler);
            if (protocol == Protocol.APR) {
                tomcat.addContextLifecycleListeners(nativeLibrary());
            }
        };
    }

    static boolean hasNativeLibrary() {
        // Tomcat looks for it only once there is a listener.
        nativeLibrary();
        return AprLifecycleListener.isAprAvailable();
    }

    private static AprLifecycleListener nativeLibrary() {
        AprLifecycleListener library = new AprLifecycleListener();
        // As in the source: there is no TLS, and OpenSSL would want to be seeded.
        library.setSSLEngine("off");
        return library;
    }
}

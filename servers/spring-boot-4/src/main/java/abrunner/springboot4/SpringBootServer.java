package abrunner.springboot4;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;

/** Spring Boot 4 on Tomcat 11, serving files by Spring's resource handler. */
public final class SpringBootServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    SpringBootServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(SpringBootServer::new);
    }

    @Override
    public void start() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(properties());
        application.run();
    }

    private Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.address", address.getAddress().getHostAddress());
        properties.put("server.port", address.getPort());
        properties.put("server.tomcat.accept-count", backlog);
        properties.put("server.tomcat.threads.max", threads);
        // An idle connection holds no thread: nothing limits its requests, and as many connections are allowed as the
        // load generator can open. As shipped: 100 requests, and 8,192 connections.
        properties.put("server.tomcat.max-keep-alive-requests", -1);
        properties.put("server.tomcat.max-connections", 20_000);
        // As shipped it takes heads of up to 8 KB; here one with a field of 8 KB has to pass.
        properties.put("server.max-http-request-header-size", "16KB");
        // As shipped it waits up to 30 s for requests that are under way.
        properties.put("server.shutdown", "immediate");
        // With a slash at the end, for it is a folder.
        properties.put("spring.web.resources.static-locations", docroot.toUri().toString());
        properties.put("spring.main.banner-mode", "off");
        properties.put("logging.level.root", "warn");
        return properties;
    }
}

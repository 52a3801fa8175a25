package abrunner.springboot.tomcat11;

import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** Spring Boot 4 on Tomcat 11. */
@SpringBootApplication
@Import(TestController.class)
public class TomcatApplication {
    public static void main(String[] arguments) {
        Launcher.launch(TomcatApplication::create);
    }

    static SpringApplication create(Settings settings) {
        return new SpringApplication(TomcatApplication.class);
    }
}

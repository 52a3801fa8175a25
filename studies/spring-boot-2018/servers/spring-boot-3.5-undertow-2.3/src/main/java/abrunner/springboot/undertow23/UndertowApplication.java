package abrunner.springboot.undertow23;

import abrunner.harness.Settings;
import abrunner.springboot.Launcher;
import abrunner.springboot.TestController;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** Spring Boot 3.5 on Undertow 2.3. */
@SpringBootApplication
@Import(TestController.class)
public class UndertowApplication {
    public static void main(String[] arguments) {
        Launcher.launch(UndertowApplication::create);
    }

    static SpringApplication create(Settings settings) {
        return new SpringApplication(UndertowApplication.class);
    }
}

package abrunner.springboot4;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** No code of its own: what Spring Boot makes of its web starter. */
@SpringBootApplication
public class Application {
}

package abrunner.springboot;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What every application answers: 22 bytes that are always the same. */
@RestController
public class TestController {
    @GetMapping("/api/test")
    public String test() {
        return "This is a test result.";
    }
}

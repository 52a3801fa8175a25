package abrunner.fibers.servlets2014;

import abrunner.fibers.Answer;
import java.io.IOException;
import javax.servlet.http.HttpServletResponse;

/** Writes answers. */
final class Answers {
    private Answers() {
    }

    static void write(HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        response.setContentType(Answer.CONTENT_TYPE);
        response.setContentLength(answer.body().length);
        response.getOutputStream().write(answer.body());
    }
}

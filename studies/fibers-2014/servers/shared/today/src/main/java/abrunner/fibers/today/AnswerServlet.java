package abrunner.fibers.today;

import abrunner.fibers.Answer;
import abrunner.fibers.Sleep;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Function;

/** Answers on the thread that a request has, and keeps it until then. */
final class AnswerServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Function<String, Answer> answers;

    /** Takes what makes an answer of the value of {@link Sleep#PARAMETER}. */
    AnswerServlet(Function<String, Answer> answers) {
        this.answers = answers;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        write(response, answers.apply(request.getParameter(Sleep.PARAMETER)));
    }

    static void write(HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        response.setContentType(Answer.CONTENT_TYPE);
        response.setContentLength(answer.body().length);
        response.getOutputStream().write(answer.body());
    }
}

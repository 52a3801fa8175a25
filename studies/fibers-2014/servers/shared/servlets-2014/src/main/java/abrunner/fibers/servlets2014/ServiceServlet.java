package abrunner.fibers.servlets2014;

import abrunner.fibers.Service;
import abrunner.fibers.Sleep;
import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** /service on threads: each request holds one until A and B have answered. */
final class ServiceServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Service service;

    ServiceServlet(Service service) {
        this.service = service;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answers.write(response, service.answer(request.getParameter(Sleep.PARAMETER)));
    }
}

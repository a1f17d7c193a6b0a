package io.tallystick.wildfly.app;

import io.tallystick.narayana.night.Night;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;

/** {@code /fall?in=DIRECTORY} has a bad night, {@code /imported?in=DIRECTORY} is told the decision of the parent. */
@WebServlet({"/fall", "/imported"})
public final class NightServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Path directory = Path.of(request.getParameter("in"));
        try {
            if (request.getServletPath().equals("/fall")) {
                response.getWriter().print(String.join("\n", Night.fall(directory)));
            } else {
                Night.commitImported(directory);
                response.getWriter().print("committed");
            }
        } catch (Exception failed) {
            response.setStatus(500);
            response.getWriter().print(failed);
        }
    }
}

package abrunner.fibers.servlets2014;

import abrunner.fibers.Service;
import abrunner.fibers.Services;
import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import co.paralleluniverse.fibers.instrument.JavaAgent;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.servlet.Servlet;

/** The servlets that each container gets. */
public final class Servlets {
    /** What a request runs on while it waits for A and B: a thread of a pool, or a fiber of its own. */
    private enum RunsOn { PLATFORM, FIBER }

    private Servlets() {
    }

    /** Returns them by the paths that they answer; all are asynchronous, or may be. */
    public static Map<String, Servlet> byPath(Settings settings) {
        String internal = Services.from(settings) + "/internal?sleep=";
        Map<String, Servlet> servlets = new LinkedHashMap<>();
        if (settings.choice("THREAD_KIND", RunsOn.PLATFORM) == RunsOn.FIBER) {
            requireAgent();
            servlets.put("/service", new FiberServiceServlet(internal));
            servlets.put("/internal", new FiberInternalServlet());
        } else {
            servlets.put("/service", new ServiceServlet(new Service(new ThreadClient(internal))));
            servlets.put("/internal", new InternalServlet());
        }
        return servlets;
    }

    /** Without it, or on a newer Java, the server would start all the same and never answer. */
    private static void requireAgent() {
        if (!System.getProperty("java.specification.version").equals("1.8") || !JavaAgent.isActive()) {
            throw new InvalidSetting("THREAD_KIND=fiber needs Java 8 with -javaagent:lib/quasar-core-0.7.9-jdk8.jar");
        }
    }
}

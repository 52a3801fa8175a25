package abrunner.fibers.undertow10;

import abrunner.fibers.servlets2014.Servlets;
import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import io.undertow.Undertow;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.api.ServletInfo;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.servlet.Servlet;
import javax.servlet.ServletException;
import org.xnio.Options;

/** Undertow 1.0: I/O threads read requests, and workers run servlets. */
public final class UndertowServer implements Server {
    private static final int MAX_THREADS = 20_000;

    private final InetSocketAddress address;
    private final int backlog;
    private final int ioThreads;
    private final int workerThreads;
    private final Map<String, Servlet> servlets;

    UndertowServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        // The source chose the number of I/O threads only.
        ioThreads = settings.number("IO_THREADS", settings.threads(), 1, MAX_THREADS);
        workerThreads = settings.number("WORKER_THREADS", asShipped(), 1, MAX_THREADS);
        servlets = Servlets.byPath(settings);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(UndertowServer::new);
    }

    @Override
    public void start() throws ServletException {
        Undertow.builder()
                .addHttpListener(address.getPort(), address.getAddress().getHostAddress())
                .setSocketOption(Options.BACKLOG, backlog)
                .setSocketOption(Options.TCP_NODELAY, true)
                .setIoThreads(ioThreads)
                .setWorkerThreads(workerThreads)
                .setHandler(container().start())
                .build()
                .start();
    }

    /** How many workers Undertow makes by itself, however many I/O threads it is told to have. */
    private static int asShipped() {
        return 8 * Math.max(Runtime.getRuntime().availableProcessors(), 2);
    }

    private DeploymentManager container() {
        DeploymentInfo deployment = io.undertow.servlet.Servlets.deployment()
                .setClassLoader(UndertowServer.class.getClassLoader())
                .setContextPath("/")
                .setDeploymentName("fibers-2014");
        servlets.forEach((path, servlet) -> deployment.addServlet(
                new ServletInfo(path, servlet.getClass(), new ImmediateInstanceFactory<>(servlet))
                        .addMapping(path)
                        .setAsyncSupported(true)));
        DeploymentManager manager = io.undertow.servlet.Servlets.newContainer().addDeployment(deployment);
        manager.deploy();
        return manager;
    }
}

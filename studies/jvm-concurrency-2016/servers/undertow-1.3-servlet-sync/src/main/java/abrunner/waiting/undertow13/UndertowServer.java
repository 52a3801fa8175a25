package abrunner.waiting.undertow13;

import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.waiting.Wait;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import org.xnio.Options;

/** Undertow 1.3 with one handler, set as the source sets it. */
public final class UndertowServer implements Server {
    private static final int BUFFER_BYTES = 1024;
    private static final int MAX_THREADS = 10_000;
    private static final String NAME = "wait";

    private final Settings settings;
    private final int ioThreads;
    private final int workerThreads;
    private final HttpHandler handler;

    /** Of the threads that the source gave to others, Undertow got half for I/O and half to work. */
    public UndertowServer(Settings settings, HttpHandler handler) {
        this.settings = settings;
        this.ioThreads = settings.number("IO_THREADS", settings.threads() / 2, 1, MAX_THREADS);
        this.workerThreads = settings.number("WORKER_THREADS", settings.threads() / 2, 1, MAX_THREADS);
        this.handler = handler;
    }

    /** The handler that has a servlet answer. */
    public static HttpHandler of(HttpServlet servlet) {
        DeploymentInfo deployment = Servlets.deployment()
                .setDeploymentName(NAME)
                .setContextPath("/")
                .setClassLoader(UndertowServer.class.getClassLoader())
                .addServlet(Servlets.servlet(NAME, servlet.getClass(), new ImmediateInstanceFactory<>(servlet))
                        .addMapping(Wait.PATH)
                        .setAsyncSupported(true));
        DeploymentManager manager = Servlets.newContainer().addDeployment(deployment);
        manager.deploy();
        try {
            return manager.start();
        } catch (ServletException broken) {
            throw new IllegalStateException(broken);
        }
    }

    @Override
    public void start() {
        Undertow.builder()
                .addHttpListener(settings.port(), settings.host())
                .setIoThreads(ioThreads)
                .setWorkerThreads(workerThreads)
                .setBufferSize(BUFFER_BYTES)
                .setSocketOption(Options.BACKLOG, settings.backlog())
                .setSocketOption(Options.TCP_NODELAY, true)
                .setHandler(handler)
                .build()
                .start();
    }
}

package abrunner.tomcattuning;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import org.apache.catalina.startup.Bootstrap;

/** Runs the distribution of Tomcat that lies in lib beside it, as catalina.sh does, with the connector of the study. */
public final class Main {
    private static final int FAILED = 1;
    private static final int INVALID_SETTING = 2;

    private static final String DISTRIBUTION = "lib/apache-tomcat-8.5.14";
    /** A server may be killed right after its load: what it said last is at most so old. */
    private static final int COUNT_MILLIS = 1_000;
    /** Under load Tomcat took 8.4 s to stop, and a container has 2 s in all. */
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What a process has that SIGTERM ends. */
    private static final int TERMINATED = 128 + 15;

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings;
        try {
            settings = Settings.from(System.getenv());
        } catch (InvalidSetting invalid) {
            System.err.println(invalid.getMessage());
            System.exit(INVALID_SETTING);
            return;
        }
        Path home = home();
        Path base = CatalinaBase.create(home, settings.connector());
        setProperties(home, base);
        ConnectorBeans connector = new ConnectorBeans();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteWhenStopped(base, connector)));

        Bootstrap tomcat = new Bootstrap();
        tomcat.init(new String[] {"start"});
        tomcat.start();
        if (!connector.runs()) {
            // Tomcat itself goes on all the same.
            System.err.println("cannot listen on port " + settings.port() + ": Tomcat's log has the reason");
            System.exit(FAILED);
        }
        System.out.println("ready on port " + settings.port());
        System.out.println(connector.settings());
        sayCounts(connector);
    }

    /** Also keeps the process alive: all other threads are daemons. */
    private static void sayCounts(ConnectorBeans connector) throws InterruptedException, JMException {
        String said = "";
        while (connector.runs()) {
            String counts = connector.counts();
            // While it stops the processors go one by one; these are no counts.
            if (connector.runs() && !counts.equals(said)) {
                System.out.println(counts);
                said = counts;
            }
            Thread.sleep(COUNT_MILLIS);
        }
    }

    /** The folder of the distribution: beside server.jar, or beside the classes where tests run them. */
    private static Path home() throws URISyntaxException {
        return Paths.get(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI()).resolveSibling(DISTRIBUTION);
    }

    /** Those of catalina.sh. Before any class that logs, and before Bootstrap, which reads them once. */
    private static void setProperties(Path home, Path base) {
        System.setProperty("catalina.home", home.toString());
        System.setProperty("catalina.base", base.toString());
        System.setProperty("java.io.tmpdir", base.resolve("temp").toString());
        System.setProperty("java.util.logging.config.file", base.resolve("conf/logging.properties").toString());
        System.setProperty("java.util.logging.manager", "org.apache.juli.ClassLoaderLogManager");
        System.setProperty("java.protocol.handler.pkgs", "org.apache.catalina.webresources");
        System.setProperty("jdk.tls.ephemeralDHKeySize", "2048");
    }

    /** Tomcat stops by a hook of its own, at the same time, and writes to its folder until it has. */
    private static void deleteWhenStopped(Path base, ConnectorBeans connector) {
        long start = System.nanoTime();
        while (connector.exists() && System.nanoTime() - start < STOP_NANOS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        boolean late = connector.exists();
        CatalinaBase.delete(base);
        if (late) {
            Runtime.getRuntime().halt(TERMINATED);
        }
    }
}

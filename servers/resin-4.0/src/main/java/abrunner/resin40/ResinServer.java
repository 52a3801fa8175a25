package abrunner.resin40;

import abrunner.harness.Launcher;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import abrunner.harness.WorkFolder;
import com.caucho.env.thread.ThreadPool;
import com.caucho.resin.ResinEmbed;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resin 4.0, serving files by its FileServlet. */
public final class ResinServer implements Server {
    private final InetSocketAddress address;
    private final int backlog;
    private final int threads;
    private final Path docroot;

    ResinServer(Settings settings) {
        address = settings.address();
        backlog = settings.backlog();
        threads = settings.threads();
        docroot = settings.docroot();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(ResinServer::new);
    }

    @Override
    public void start() throws Exception {
        Path home = WorkFolder.create();
        // For the expressions in resin.xml.
        System.setProperty("webapp", Files.createDirectory(home.resolve("webapp")).toString());
        System.setProperty("docroot", docroot.toString());
        System.setProperty("threads", Integer.toString(threads));
        makeRoomForFewThreads();
        LatePort late = new LatePort(address, backlog);
        ResinEmbed resin = new ResinEmbed("classpath:abrunner/resin40/resin.xml");
        resin.setRootDirectory(home.toString());
        resin.addPort(late);
        resin.start();
        late.listen();
    }

    /** Resin keeps 18 threads idle, and refuses a maximum below that. */
    private void makeRoomForFewThreads() {
        ThreadPool pool = ThreadPool.getThreadPool();
        pool.setIdleMin(Math.min(pool.getIdleMin(), threads / 2));
    }
}

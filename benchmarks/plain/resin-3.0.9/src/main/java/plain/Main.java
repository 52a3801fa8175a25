package plain;

import com.caucho.server.resin.Resin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * After the basic resin.conf of Resin 3.0's documentation, with a web-app of its own, for it writes into its folder.
 * Resin's own main program does nothing more, but refuses the JMX of newer JVMs.
 */
public final class Main {
    public static void main(String[] arguments) throws Throwable {
        new Resin(new String[] {"-conf", configuration().toString()}).init();
        Thread.currentThread().join();
    }

    private static Path configuration() throws IOException {
        Path folder = Files.createTempDirectory("resin");
        return Files.write(folder.resolve("resin.conf"), Arrays.asList(
                "<resin xmlns='http://caucho.com/ns/resin'>",
                "  <server>",
                "    <http host='" + System.getenv("ADDRESS") + "' port='" + System.getenv("PORT") + "'>",
                "      <socket-listen-backlog>1000</socket-listen-backlog>",
                "    </http>",
                "    <host id=''>",
                "      <web-app id='/' document-directory='" + folder.resolve("webapp") + "'>",
                "        <path-mapping url-pattern='/*' real-path='" + System.getenv("DOCROOT") + "'/>",
                "        <servlet servlet-name='file' servlet-class='com.caucho.servlets.FileServlet'/>",
                "        <servlet-mapping url-pattern='/' servlet-name='file'/>",
                "      </web-app>",
                "    </host>",
                "  </server>",
                "</resin>"));
    }
}

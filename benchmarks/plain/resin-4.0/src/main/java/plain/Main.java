package plain;

import com.caucho.resin.HttpEmbed;
import com.caucho.resin.ResinEmbed;
import com.caucho.resin.WebAppEmbed;
import com.caucho.server.webapp.WebApp;
import java.io.IOException;
import java.nio.file.Files;

/** After what Resin 4.0's documentation says on embedding; a web-app of its own, for it writes into its folder. */
public final class Main {
    public static void main(String[] arguments) throws IOException {
        ResinEmbed resin = new ResinEmbed();
        resin.setRootDirectory(Files.createTempDirectory("resin").toString());
        resin.addPort(new HttpEmbed(Integer.parseInt(System.getenv("PORT")), System.getenv("ADDRESS")));
        resin.addWebApp(new WebAppEmbed("/", "webapp") {
            @Override
            protected void configure(WebApp webApp) {
                super.configure(webApp);
                webApp.createRewriteRealPath().addPathPattern("/*", System.getenv("DOCROOT"));
            }
        });
        resin.start();
        resin.join();
    }
}

package plain;

import com.caucho.resin.HttpEmbed;
import com.caucho.resin.ResinEmbed;
import com.caucho.resin.WebAppEmbed;

/** After "Resin: Embedding": http://www.caucho.com/resin-4.0/admin/resin-embedding.xtp */
public final class Main {
    public static void main(String[] arguments) {
        ResinEmbed resin = new ResinEmbed();
        resin.addPort(new HttpEmbed(Integer.parseInt(System.getenv("PORT")), System.getenv("ADDRESS")));
        resin.addWebApp(new WebAppEmbed("/", System.getenv("DOCROOT")));
        resin.start();
        resin.join();
    }
}

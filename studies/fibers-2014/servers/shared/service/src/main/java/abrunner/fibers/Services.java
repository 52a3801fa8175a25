package abrunner.fibers;

import abrunner.harness.InvalidSetting;
import abrunner.harness.Settings;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;

/** Where services A and B are. */
public final class Services {
    private static final int MAX_PORT = 65_535;

    private Services() {
    }

    /** Such as http://127.0.0.1:8080: in this server itself, if nothing else is said. */
    public static URI from(Settings settings) {
        String value = settings.text("SERVICES");
        try {
            if (value == null) {
                InetAddress address = settings.address().getAddress();
                String host = address.isAnyLocalAddress() ? "127.0.0.1" : settings.host();
                return new URI("http", null, host, settings.port(), null, null, null);
            }
            URI services = new URI("http://" + value);
            if (services.getHost() != null && services.getPort() >= 1 && services.getPort() <= MAX_PORT
                    && value.equals(services.getHost() + ":" + services.getPort())) {
                return services;
            }
        } catch (URISyntaxException unusable) {
            // Told below, as one of another form.
        }
        throw new InvalidSetting("SERVICES must be HOST:PORT, not '" + value + "'");
    }
}

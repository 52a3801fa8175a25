import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Turns a bundle of PEM certificates into a trust store for Java: {@code java TrustStore.java IN OUT}. */
class TrustStore {
    public static void main(String[] args) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (FileInputStream bundle = new FileInputStream(args[0])) {
            for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(bundle)) {
                store.setCertificateEntry("ca" + store.size(), certificate);
            }
        }
        try (FileOutputStream out = new FileOutputStream(args[1])) {
            store.store(out, "changeit".toCharArray());
        }
    }
}

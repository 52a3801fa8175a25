package abrunner.tomcattuning;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The server.xml that Tomcat ships, with other attributes of its HTTP connector and with no other listener. */
final class ServerXml {
    private ServerXml() {
    }

    static void write(Path shipped, Map<String, String> connector, Path target) throws IOException {
        try (OutputStream out = Files.newOutputStream(target)) {
            Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(shipped.toFile());
            // Nobody may stop it by a word to a port.
            document.getDocumentElement().setAttribute("port", "-1");
            Element ajp = connector(document, "AJP/1.3");
            ajp.getParentNode().removeChild(ajp);
            connector.forEach(connector(document, "HTTP/1.1")::setAttribute);
            TransformerFactory.newInstance().newTransformer().transform(new DOMSource(document), new StreamResult(out));
        } catch (ParserConfigurationException | SAXException | TransformerException broken) {
            throw new IOException("cannot change " + shipped, broken);
        }
    }

    private static Element connector(Document document, String protocol) {
        NodeList connectors = document.getElementsByTagName("Connector");
        for (int i = 0; i < connectors.getLength(); i++) {
            Element connector = (Element) connectors.item(i);
            if (connector.getAttribute("protocol").equals(protocol)) {
                return connector;
            }
        }
        throw new IllegalStateException("no connector for " + protocol + " in the shipped server.xml");
    }
}

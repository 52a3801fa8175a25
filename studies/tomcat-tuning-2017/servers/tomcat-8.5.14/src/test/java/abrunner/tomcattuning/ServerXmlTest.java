package abrunner.tomcattuning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;

class ServerXmlTest {
    private static final Path SHIPPED = RunningTomcat.HOME.resolve("conf/server.xml");

    @TempDir
    private Path folder;

    @Test
    void changesTheConnectorAndLeavesWhatItHas() throws Exception {
        assertEquals(List.of(Map.of(
                "port", "8181", "protocol", "some.Protocol", "connectionTimeout", "20000", "redirectPort", "8443")),
                elements(changed(), "Connector"));
    }

    @Test
    void opensNoPortToStopBy() throws Exception {
        assertEquals(List.of(Map.of("port", "-1", "shutdown", "SHUTDOWN")), elements(changed(), "Server"));
    }

    @Test
    void leavesAllElse() throws Exception {
        Document shipped = document(SHIPPED);
        Document changed = changed();
        for (String name : List.of("Listener", "Service", "Engine", "Realm", "Host", "Valve", "Resource")) {
            assertEquals(elements(shipped, name), elements(changed, name));
        }
        // The AJP connector is gone.
        assertEquals(elements(shipped, "*").size() - 1, elements(changed, "*").size());
        assertEquals("org.apache.catalina.valves.AccessLogValve", elements(changed, "Valve").get(0).get("className"));
    }

    private Document changed() throws Exception {
        Path target = folder.resolve("server.xml");
        // As it is there already.
        Files.writeString(target, "x".repeat(100_000));
        ServerXml.write(SHIPPED, Map.of("port", "8181", "protocol", "some.Protocol"), target);
        return document(target);
    }

    private static Document document(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private static List<Map<String, String>> elements(Document document, String name) {
        return IntStream.range(0, document.getElementsByTagName(name).getLength())
                .mapToObj(i -> attributes((Element) document.getElementsByTagName(name).item(i)))
                .toList();
    }

    private static Map<String, String> attributes(Element element) {
        Map<String, String> attributes = new TreeMap<>();
        NamedNodeMap all = element.getAttributes();
        for (int i = 0; i < all.getLength(); i++) {
            attributes.put(all.item(i).getNodeName(), all.item(i).getNodeValue());
        }
        return attributes;
    }
}

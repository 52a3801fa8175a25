package abrunner.tomcattuning;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** CATALINA_BASE: a fresh folder for all that Tomcat writes, as the distribution itself may be read-only. */
final class CatalinaBase {
    private CatalinaBase() {
    }

    /** Makes it from the distribution. Of its applications only ROOT is there, so only ROOT is deployed. */
    static Path create(Path home, Map<String, String> connector) throws IOException {
        Path base = Files.createTempDirectory("tomcat-");
        for (String folder : new String[] {"logs", "temp", "webapps", "work"}) {
            Files.createDirectory(base.resolve(folder));
        }
        copy(home.resolve("conf"), base.resolve("conf"));
        copy(home.resolve("webapps/ROOT"), base.resolve("webapps/ROOT"));
        ServerXml.write(home.resolve("conf/server.xml"), connector, base.resolve("conf/server.xml"));
        return base;
    }

    static void delete(Path base) {
        try {
            // The content of a folder before the folder.
            for (Path path : content(base, Comparator.reverseOrder())) {
                Files.delete(path);
            }
        } catch (IOException | UncheckedIOException inUse) {
            System.err.println("cannot delete " + base + ": " + inUse);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path path : content(from, Comparator.naturalOrder())) {
            Files.copy(path, to.resolve(from.relativize(path).toString()));
        }
    }

    private static List<Path> content(Path folder, Comparator<Path> order) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.sorted(order).collect(Collectors.toList());
        }
    }
}

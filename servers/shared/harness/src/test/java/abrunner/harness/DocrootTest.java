package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocrootTest {
    private Path folder;
    private Docroot docroot;

    @BeforeEach
    void fill(@TempDir Path temporary) throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("docroot"));
        Files.createFile(folder.resolve("a.html"));
        Files.createFile(folder.resolve("a+b c.bin"));
        Files.createDirectory(folder.resolve("sub"));
        Files.createFile(folder.resolve("sub/b.bin"));
        Path secret = Files.createFile(temporary.resolve("secret.txt"));
        Files.createSymbolicLink(folder.resolve("link.txt"), secret);
        Files.createSymbolicLink(folder.resolve("up"), secret.getParent());
        docroot = new Docroot(folder);
    }

    @Test
    void findsFiles() {
        assertEquals(folder.resolve("a.html"), docroot.find("/a.html"));
        assertEquals(folder.resolve("a.html"), docroot.find("/a.html?x=/../y"));
        assertEquals(folder.resolve("a.html"), docroot.find("/%61.html"));
        assertEquals(folder.resolve("a+b c.bin"), docroot.find("/a+b%20c.bin"));
        assertEquals(folder.resolve("sub/b.bin"), docroot.find("/sub/b.bin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "/", "//", "/missing", "/sub", "/sub/", "/a.html/", "/a.html/x", "//a.html",
            "a.html", "/./a.html", "/sub/../a.html", "/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt",
            "/..%2fsecret.txt", "/..\\secret.txt", "/..%5csecret.txt", "/link.txt", "/up/secret.txt", "/a.html%00",
            "/%", "/%zz", "/%-1", "http://localhost/a.html"})
    void findsNothingElse(String target) {
        assertNull(docroot.find(target));
    }

    @Test
    void tellsContentTypeByName() {
        assertEquals("text/html", Docroot.contentType(folder.resolve("a.html")));
        assertEquals("application/octet-stream", Docroot.contentType(folder.resolve("sub/b.bin")));
    }
}

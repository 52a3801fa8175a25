package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCacheTest {
    private static final Instant LONG_AGO = Instant.parse("2006-03-04T05:06:07Z");

    private Path folder;
    private FileCache cache;
    /** Clocks of this kind may be anywhere, and overflow. */
    private long now = Long.MAX_VALUE - 1;

    @BeforeEach
    void fill(@TempDir Path temporary) throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("docroot"));
        write("a.html", "old");
        cache = cache("on");
    }

    @Test
    void tellsAllOfSmallFile() {
        ServedFile file = cache.find("/a.html");
        assertEquals("old", text(file));
        assertEquals(3, file.length());
        assertEquals("text/html", file.contentType());
        assertEquals("Sat, 04 Mar 2006 05:06:07 GMT", file.lastModified());
    }

    @Test
    void tellsAllButContentOfLargeFile() throws IOException {
        write("16k.bin", new String(new char[FileCache.MAX_CONTENT_BYTES]));
        write("large.bin", new String(new char[FileCache.MAX_CONTENT_BYTES + 1]));
        assertNotNull(cache.find("/16k.bin").content());
        ServedFile file = cache.find("/large.bin");
        assertNull(file.content());
        assertEquals(16_385, file.length());
        assertEquals("application/octet-stream", file.contentType());
        assertEquals(16_385, file.open().size());
        assertSame(file, cache.find("/large.bin"));
    }

    @Test
    void takesEmptyFile() throws IOException {
        write("empty", "");
        assertEquals("", text(cache.find("/empty")));
    }

    @Test
    void seesChangeAfterFiveSeconds() throws IOException {
        cache.find("/a.html");
        write("a.html", "newer and longer");
        now += FileCache.TRUSTED_NANOS - 1;
        assertEquals("old", text(cache.find("/a.html")));
        now++;
        assertEquals("newer and longer", text(cache.find("/a.html")));
    }

    @Test
    void seesThatOnlyTheTimeHasChanged() throws IOException {
        cache.find("/a.html");
        write("a.html", "new");
        Files.setLastModifiedTime(folder.resolve("a.html"), FileTime.from(LONG_AGO.plusSeconds(1)));
        now += FileCache.TRUSTED_NANOS;
        assertEquals("new", text(cache.find("/a.html")));
    }

    @Test
    void keepsWhatHasNotChanged() {
        ServedFile file = cache.find("/a.html");
        now += FileCache.TRUSTED_NANOS;
        assertSame(file, cache.find("/a.html"));
    }

    @Test
    void seesThatFileIsGone() throws IOException {
        cache.find("/a.html");
        Files.delete(folder.resolve("a.html"));
        now += FileCache.TRUSTED_NANOS;
        assertNull(cache.find("/a.html"));
        write("a.html", "back");
        assertEquals("back", text(cache.find("/a.html")));
    }

    @Test
    void seesThatFileHasBecomeLink() throws IOException {
        write("large.bin", new String(new char[FileCache.MAX_CONTENT_BYTES + 1]));
        ServedFile file = cache.find("/large.bin");
        Path secret = Files.move(folder.resolve("large.bin"), folder.resolveSibling("secret.txt"));
        Files.createSymbolicLink(folder.resolve("large.bin"), secret);
        assertThrows(IOException.class, file::open);
        now += FileCache.TRUSTED_NANOS;
        assertNull(cache.find("/large.bin"));
    }

    @Test
    void findsNothingOutside() throws IOException {
        Files.createFile(folder.resolveSibling("secret.txt"));
        assertNull(cache.find("/../secret.txt"));
        assertNull(cache.find("/missing"));
        assertNull(cache.find(""));
    }

    @Test
    void takesNoNoticeOfQueries() {
        assertSame(cache.find("/a.html"), cache.find("/a.html?x=1"));
    }

    @Test
    void holdsLimitedNumber() throws IOException {
        ServedFile first = cache.find("/a.html");
        write("abcdefghijkl", "");
        for (int name = 0; name < FileCache.MAX_FILES; name++) {
            assertNotNull(cache.find("/" + encoded("abcdefghijkl", name)));
        }
        assertNotSame(first, cache.find("/a.html"));
    }

    @Test
    void mapsFileOnce() throws IOException {
        write("large.bin", "content");
        ServedFile file = cache("off").find("/large.bin");
        assertEquals("content", StandardCharsets.US_ASCII.decode(file.mapped()).toString());
        Files.delete(folder.resolve("large.bin"));
        assertEquals("content", StandardCharsets.US_ASCII.decode(file.mapped()).toString());
    }

    @Test
    void mapsEmptyFile() throws IOException {
        write("empty", "");
        assertFalse(cache("off").find("/empty").mapped().hasRemaining());
    }

    @Test
    void holdsNothingWhenOff() throws IOException {
        FileCache off = cache("off");
        ServedFile file = off.find("/a.html");
        assertNull(file.content());
        assertEquals(3, file.length());
        assertEquals("Sat, 04 Mar 2006 05:06:07 GMT", file.lastModified());
        write("a.html", "newer and longer");
        assertEquals(16, off.find("/a.html").length());
        Files.delete(folder.resolve("a.html"));
        assertNull(off.find("/a.html"));
    }

    private FileCache cache(String caching) {
        Map<String, String> environment = new HashMap<>();
        environment.put("DOCROOT", folder.toString());
        environment.put("FILE_CACHE", caching);
        return new FileCache(Settings.from(environment), () -> now);
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
        Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
    }

    private static String text(ServedFile file) {
        return new String(file.content(), StandardCharsets.US_ASCII);
    }

    /** The name with those of its characters percent-encoded whose bits are set. */
    private static String encoded(String name, int bits) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            boolean encode = (bits >> i & 1) == 1;
            text.append(encode ? String.format("%%%02x", (int) name.charAt(i)) : name.substring(i, i + 1));
        }
        return text.toString();
    }
}

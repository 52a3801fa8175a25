package abrunner.cindy30;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFilesTest {
    private final MappedFiles files = new MappedFiles();

    @TempDir
    private Path folder;

    @Test
    void givesEachCallerAllOfTheFile() throws IOException {
        Path file = write("some bytes", 0);
        assertEquals("some bytes", text(files.content(file)));
        assertEquals("some bytes", text(files.content(file)));
    }

    @Test
    void seesThatFileHasChanged() throws IOException {
        files.content(write("old", 0));
        assertEquals("newer and longer", text(files.content(write("newer and longer", 1000))));
    }

    @Test
    void takesEmptyFile() throws IOException {
        assertFalse(files.content(write("", 0)).hasRemaining());
    }

    private Path write(String text, long modified) throws IOException {
        Path file = folder.resolve("file");
        Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
        return Files.setLastModifiedTime(file, FileTime.fromMillis(modified));
    }

    private static String text(ByteBuffer content) {
        return StandardCharsets.US_ASCII.decode(content).toString();
    }
}

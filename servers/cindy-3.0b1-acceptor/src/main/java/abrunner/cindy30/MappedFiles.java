package abrunner.cindy30;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Files mapped into memory, each mapped again only when it has changed. */
final class MappedFiles {
    private final Map<Path, MappedFile> known = new ConcurrentHashMap<>();

    /** The file's content, not copied. */
    ByteBuffer content(Path path) throws IOException {
        FileTime modified = Files.getLastModifiedTime(path);
        MappedFile file = known.get(path);
        if (file == null || !file.modified.equals(modified)) {
            file = new MappedFile(map(path), modified);
            known.put(path, file);
        }
        return file.content.duplicate();
    }

    private static ByteBuffer map(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    private static final class MappedFile {
        private final ByteBuffer content;
        private final FileTime modified;

        MappedFile(ByteBuffer content, FileTime modified) {
            this.content = content;
            this.modified = modified;
        }
    }
}

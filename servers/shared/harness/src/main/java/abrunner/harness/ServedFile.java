package abrunner.harness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** A file of the document root, as it was when it was last looked at. */
public final class ServedFile {
    private final Path path;
    private final FileTime modified;
    private final long length;
    private final byte[] content;
    private final String contentType;
    private final String lastModified;
    private volatile ByteBuffer mapped;

    ServedFile(Path path, BasicFileAttributes attributes, byte[] content) {
        this.path = path;
        this.content = content;
        modified = attributes.lastModifiedTime();
        length = content == null ? attributes.size() : content.length;
        contentType = Docroot.contentType(path);
        lastModified = HttpDate.of(modified);
    }

    /** The file's bytes, to be left as they are; null if they are not held in memory. */
    public byte[] content() {
        return content;
    }

    public long length() {
        return length;
    }

    /** The media type that the file's name tells. */
    public String contentType() {
        return contentType;
    }

    /** The value of the header field Last-Modified. */
    public String lastModified() {
        return lastModified;
    }

    /** Opens the file to read it. */
    public FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** The file's bytes, mapped into memory by the first call; for frameworks that send only what is there. */
    public ByteBuffer mapped() throws IOException {
        ByteBuffer buffer = mapped;
        if (buffer == null) {
            try (FileChannel channel = open()) {
                buffer = channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
            }
            mapped = buffer;
        }
        return buffer.duplicate();
    }

    /** Whether a file of these attributes has not changed since. */
    boolean isStill(BasicFileAttributes attributes) {
        return attributes.size() == length && attributes.lastModifiedTime().equals(modified);
    }
}

package abrunner.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The files of the document root, for servers whose frameworks ship no file server: what is known of a file is held
 * for some seconds, and a small file's content with it. FILE_CACHE=off has every request look at the disk.
 */
public final class FileCache {
    /** What becomes of a file that was read. */
    private enum Caching {
        ON, OFF
    }

    /** The content of no longer file is held in memory. */
    static final int MAX_CONTENT_BYTES = 16 * 1024;
    static final int MAX_FILES = 1000;
    static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Docroot docroot;
    private final boolean holds;
    private final LongSupplier nanoTime;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    FileCache(Settings settings, LongSupplier nanoTime) {
        docroot = new Docroot(settings.docroot());
        holds = settings.choice("FILE_CACHE", Caching.ON) == Caching.ON;
        this.nanoTime = nanoTime;
    }

    /** Takes the folder that is served, and whether anything is held at all. */
    public FileCache(Settings settings) {
        this(settings, System::nanoTime);
    }

    /** The file that the target of a request line names, or null if there is none that can be read. */
    public ServedFile find(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        if (!holds) {
            return look(path, null);
        }
        long now = nanoTime.getAsLong();
        Entry known = entries.get(path);
        if (known != null && now - known.looked < TRUSTED_NANOS) {
            return known.file;
        }
        ServedFile file = look(path, known == null ? null : known.file);
        if (file == null) {
            entries.remove(path);
        } else {
            hold(path, new Entry(file, now));
        }
        return file;
    }

    private void hold(String path, Entry entry) {
        // One file has many names: each of its characters may be percent-encoded.
        if (entries.size() >= MAX_FILES) {
            entries.clear();
        }
        entries.put(path, entry);
    }

    private ServedFile look(String target, ServedFile known) {
        Path path = docroot.find(target);
        if (path == null) {
            return null;
        }
        try {
            BasicFileAttributes found =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (known != null && known.isStill(found)) {
                return known;
            }
            boolean isHeld = holds && found.size() <= MAX_CONTENT_BYTES;
            return new ServedFile(path, found, isHeld ? Files.readAllBytes(path) : null);
        } catch (IOException unreadable) {
            return null;
        }
    }

    /** A file, and when it was last looked at. */
    private static final class Entry {
        private final ServedFile file;
        private final long looked;

        Entry(ServedFile file, long looked) {
            this.file = file;
            this.looked = looked;
        }
    }
}

package abrunner.harness;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The way from a request into the folder that is served, for servers whose frameworks have none of their own. */
public final class Docroot {
    private final Path folder;

    /** Takes the folder's real path, as {@link Settings#docroot()} gives it. */
    public Docroot(Path folder) {
        this.folder = folder;
    }

    /**
     * The file that the target of a request line names, or null if there is none. Leads neither out of the folder nor
     * through a symbolic link.
     */
    public Path find(String target) {
        if (!target.startsWith("/")) {
            return null;
        }
        int query = target.indexOf('?');
        try {
            Path path = folder;
            boolean isFolder = true;
            for (String name : decode(query < 0 ? target : target.substring(0, query)).substring(1).split("/", -1)) {
                if (!isFolder || !isPlain(name)) {
                    return null;
                }
                path = path.resolve(name);
                BasicFileAttributes found =
                        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (!found.isDirectory() && !found.isRegularFile()) {
                    return null;
                }
                isFolder = found.isDirectory();
            }
            return isFolder ? null : path;
        } catch (IllegalArgumentException | IOException nothing) {
            // Not a path (an InvalidPathException is an IllegalArgumentException), or none to a file.
            return null;
        }
    }

    /** The media type that a file's name tells. */
    public static String contentType(Path file) {
        return file.toString().endsWith(".html") ? "text/html" : "application/octet-stream";
    }

    private static boolean isPlain(String name) {
        return !name.isEmpty() && !name.equals(".") && !name.equals("..") && name.indexOf('\\') < 0;
    }

    private static String decode(String path) throws UnsupportedEncodingException {
        // URLDecoder is for forms, where a plus sign is a space.
        return path.indexOf('%') < 0 ? path : URLDecoder.decode(path.replace("+", "%2B"), "UTF-8");
    }
}

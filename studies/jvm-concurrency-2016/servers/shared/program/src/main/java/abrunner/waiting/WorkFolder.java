package abrunner.waiting;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A fresh folder for a server that wants to write while it runs; all else may be read-only. */
public final class WorkFolder {
    private WorkFolder() {
    }

    /** Makes the folder; it goes with the process. */
    public static Path create() throws IOException {
        Path folder = Files.createTempDirectory("ab-runner-server-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder.toFile())));
        return folder;
    }

    private static void delete(File file) {
        File[] content = file.listFiles();
        if (content != null) {
            for (File inside : content) {
                delete(inside);
            }
        }
        file.delete();
    }
}

package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the variant of a file server has to do that uses virtual threads. Has to be left out below Java 21. */
public abstract class VirtualThreadsContract extends FileServerContract {
    /** The server, which is told to use them. */
    protected VirtualThreadsContract(Function<Settings, Server> constructor) {
        super(constructor, "THREAD_KIND=virtual");
    }

    @Test
    void answersOnVirtualThreads(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("threads.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadStart");
            recording.start();
            servesBytes("HTTP/1.0");
            recording.stop();
            recording.dump(file);
        }
        assertFalse(RecordingFile.readAllEvents(file).isEmpty());
    }
}

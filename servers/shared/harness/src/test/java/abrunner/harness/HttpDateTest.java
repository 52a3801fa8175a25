package abrunner.harness;

import static abrunner.harness.Dates.assertRecent;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    @Test
    void writesAsHttpDoes() {
        assertEquals("Sun, 06 Nov 1994 08:49:37 GMT",
                HttpDate.of(FileTime.from(Instant.parse("1994-11-06T08:49:37.999Z"))));
        assertEquals("Tue, 30 Sep 2025 00:00:00 GMT",
                HttpDate.of(FileTime.from(Instant.parse("2025-09-30T00:00:00Z"))));
    }

    @Test
    void tellsThePresentSecond() {
        assertRecent(HttpDate.now());
    }
}

package abrunner.harness;

import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Points in time as HTTP writes them. */
public final class HttpDate {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US).withZone(ZoneOffset.UTC);

    private static volatile HttpDate last = new HttpDate(0);

    private final long second;
    private final String text;

    private HttpDate(long second) {
        this.second = second;
        text = FORMAT.format(Instant.ofEpochSecond(second));
    }

    /** The present second; its text is made once. */
    public static String now() {
        long second = System.currentTimeMillis() / 1000;
        HttpDate date = last;
        if (date.second != second) {
            date = new HttpDate(second);
            last = date;
        }
        return date.text;
    }

    /** The second in which a file was modified. */
    static String of(FileTime time) {
        return FORMAT.format(time.toInstant());
    }
}

package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** What tests ask of the dates in answers. */
final class Dates {
    private Dates() {
    }

    /** The time that a header field tells in the only form that HTTP allows to write. */
    static Instant parse(String field) {
        assertNotNull(field);
        return ZonedDateTime.parse(field, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    }

    /** Some servers' clocks tick once in a second, and none less often; the rest is for a machine that is busy. */
    static void assertRecent(String field) {
        long age = Duration.between(parse(field), Instant.now()).toMillis();
        assertTrue(age >= 0 && age < 10_000, field);
    }
}

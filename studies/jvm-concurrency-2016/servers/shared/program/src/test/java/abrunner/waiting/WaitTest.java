package abrunner.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitTest {
    @ParameterizedTest
    @CsvSource({"ms=0, 0", "ms=007, 7", "ms=600000, 600000", "a=1&ms=30, 30", "ms=1&ms=2, 1"})
    void findsTheWait(String query, int millis) {
        assertEquals(millis, Wait.millis(query));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ms", "ms=", "ms=600001", "ms=-1", "ms=+1", "ms=1s", "ms=1.5", "ms=0000000", "ams=1", "MS=1"})
    void refusesAnythingElse(String query) {
        assertEquals(Wait.INVALID, Wait.millis(query));
    }

    @Test
    void refusesNoQuery() {
        assertEquals(Wait.INVALID, Wait.millis(null));
    }

    @Test
    void answersWithThirteenBytes() {
        assertEquals(13, Wait.bytes().length);
        assertEquals(13, Wait.buffer().remaining());
    }
}

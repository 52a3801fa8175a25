package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EchoStartTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
        "'GET /echo HTTP/1.0'|true", "'GET /echo '|true", "'GET /ec'|true", "''|true",
        "'GET /small.html'|false", "'GET /echoes'|false", "'get /echo '|false"})
    void fitsAsFarAsItGoes(String start, boolean fits) {
        assertEquals(fits, EchoStart.fits(start.length(), start::charAt));
    }
}

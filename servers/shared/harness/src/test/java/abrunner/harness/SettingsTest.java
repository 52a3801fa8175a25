package abrunner.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private enum Colour {
        RED, GREEN
    }

    @Test
    void defaults() {
        Settings settings = Settings.from(Collections.emptyMap());
        assertEquals(new InetSocketAddress("0.0.0.0", 8080), settings.address());
        assertEquals("0.0.0.0", settings.host());
        assertEquals(10_000, settings.backlog());
        assertEquals(256, settings.threads());
    }

    @Test
    void readsNumbers() {
        Map<String, String> environment = new HashMap<>();
        environment.put("PORT", "65535");
        environment.put("BACKLOG", "1");
        environment.put("THREADS", "16");
        Settings settings = Settings.from(environment);
        assertEquals(65_535, settings.port());
        assertEquals(1, settings.backlog());
        assertEquals(16, settings.threads());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0"})
    void readsAddress(String address) throws IOException {
        assertEquals(InetAddress.getByName(address), with("ADDRESS", address).address().getAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "127.0.0.256", "1:2:3", "127.0.0.1:80"})
    void refusesAddresses(String address) {
        InvalidSetting invalid = assertThrows(InvalidSetting.class, () -> with("ADDRESS", address));
        assertEquals("ADDRESS must be an IP address, not '" + address + "'", invalid.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"PORT,0,1 to 65535", "PORT,65536,1 to 65535", "PORT,http,1 to 65535", "PORT,'',1 to 65535",
            "PORT,-1,1 to 65535", "BACKLOG,0,1 to 2147483647", "BACKLOG,2147483648,1 to 2147483647",
            "THREADS,15,16 to 10000", "THREADS,10001,16 to 10000", "THREADS,99.5,16 to 10000"})
    void refusesNumbers(String name, String value, String range) {
        InvalidSetting invalid = assertThrows(InvalidSetting.class,
                () -> Settings.from(Collections.singletonMap(name, value)));
        assertEquals(name + " must be a whole number from " + range + ", not '" + value + "'",
                invalid.getMessage());
    }

    @Test
    void readsDocroot(@TempDir Path folder) throws IOException {
        Path real = folder.toRealPath();
        Path link = Files.createSymbolicLink(real.resolve("link"), Files.createDirectory(real.resolve("docroot")));
        assertEquals(real, with("DOCROOT", real.toString()).docroot());
        assertEquals(real.resolve("docroot"), with("DOCROOT", link.toString()).docroot());
    }

    @Test
    void requiresDocroot() {
        Settings settings = Settings.from(Collections.emptyMap());
        assertEquals("DOCROOT must name the folder to serve",
                assertThrows(InvalidSetting.class, settings::docroot).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "/no/such/folder", "/etc/passwd", "/\0"})
    void refusesDocroot(String value) {
        Settings settings = with("DOCROOT", value);
        assertEquals("DOCROOT must be the absolute path of a folder, not '" + value + "'",
                assertThrows(InvalidSetting.class, settings::docroot).getMessage());
    }

    @Test
    void readsChoice() {
        assertEquals(Colour.GREEN, with("COLOUR", "green").choice("COLOUR", Colour.RED));
        assertEquals(Colour.RED, with("PORT", "80").choice("COLOUR", Colour.RED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GREEN", "blue"})
    void refusesChoice(String value) {
        Settings settings = with("COLOUR", value);
        assertEquals("COLOUR must be red or green, not '" + value + "'",
                assertThrows(InvalidSetting.class, () -> settings.choice("COLOUR", Colour.RED)).getMessage());
    }

    @Test
    void refusesChoiceThatTheServerDoesNotHave() {
        Settings settings = with("COLOUR", "green");
        assertEquals(Colour.GREEN, settings.choice("COLOUR", Colour.RED, EnumSet.allOf(Colour.class)));
        assertEquals("COLOUR must be red, not 'green'", assertThrows(InvalidSetting.class,
                () -> settings.choice("COLOUR", Colour.RED, EnumSet.of(Colour.RED))).getMessage());
    }

    @Test
    void readsWhatOnlySomeServersHave() {
        Settings settings = with("SHELVES", "3");
        assertEquals(3, settings.number("SHELVES", 1, 1, 3));
        assertEquals("3", settings.text("SHELVES"));
        assertEquals(1, settings.number("DRAWERS", 1, 1, 3));
        assertNull(settings.text("DRAWERS"));
        assertEquals("SHELVES must be a whole number from 1 to 2, not '3'",
                assertThrows(InvalidSetting.class, () -> settings.number("SHELVES", 1, 1, 2)).getMessage());
    }

    @Test
    void threadsAreOfThePlatformByDefault() {
        assertEquals(ThreadKind.PLATFORM, Settings.from(Collections.emptyMap()).threadKind());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void readsVirtualThreads() {
        assertEquals(ThreadKind.VIRTUAL, with("THREAD_KIND", "virtual").threadKind());
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void refusesVirtualThreadsWhereJavaHasNone() {
        Settings settings = with("THREAD_KIND", "virtual");
        assertEquals("THREAD_KIND=virtual needs Java 21 or newer, and this is "
                + System.getProperty("java.specification.version"),
                assertThrows(InvalidSetting.class, settings::threadKind).getMessage());
    }

    private static Settings with(String name, String value) {
        return Settings.from(Collections.singletonMap(name, value));
    }
}

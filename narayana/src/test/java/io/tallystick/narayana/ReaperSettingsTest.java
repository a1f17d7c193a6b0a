package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReaperSettingsTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");

    @TempDir
    Path directory;

    @AfterEach
    void clearProperties() {
        System.clearProperty("tallystick.configuration-file");
        System.clearProperty("tallystick.reaper.workers");
    }

    @Test
    void nothingGivenIsTheDefaultsOfTheReaper() {
        assertThat(ReaperSettings.options(settings().build()))
                .hasToString(ReaperOptions.defaults().toString());
    }

    @Test
    void theDocumentHasARowForEachKeyAndNoOthers() throws IOException {
        assertThat(rows())
                .containsExactlyElementsOf(ReaperSettings.family().settings().stream()
                        .map(ReaperSettingsTest::row)
                        .toList());
    }

    @Test
    void everyKeyIsReadFromPropertiesAndLeavesThoseOfOthersAlone() {
        Properties properties = new Properties();
        properties.setProperty("tallystick.reaper.precision", "20ms");
        properties.setProperty("tallystick.reaper.workers", " 7 ");
        properties.setProperty("tallystick.reaper.wedged-after", "PT1.5S");
        properties.setProperty("tallystick.reaper.max-wedged-workers", "3");
        properties.setProperty("tallystick.reaper.stack-capture-lead", "1m");
        properties.setProperty("tallystick.reaper.close-mode", "wait");
        properties.setProperty("tallystick.reaper.close-timeout", "1h");
        properties.setProperty("tallystick.journal.io", "left alone");
        assertThat(properties).hasSize(ReaperSettings.family().settings().size() + 1);

        assertAllAreRead(settings().withProperties(properties));
    }

    @Test
    void aFrameworkGivesTextsOfItsOwn() {
        System.setProperty("tallystick.reaper.workers", "9");

        assertThat(ReaperSettings.of(Map.of("tallystick.reaper.close-mode", "wait")))
                .hasToString(ReaperOptions.builder()
                        .closeMode(CloseMode.WAIT_FOR_OPEN)
                        .build()
                        .toString());
        assertThatThrownBy(() -> ReaperSettings.of(Map.of("tallystick.reaper.worker", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("did you mean 'tallystick.reaper.workers'?");
    }

    @Test
    void everyKeyIsReadFromVariables() {
        assertAllAreRead(settings()
                .withVariables(Map.of(
                        "TALLYSTICK_REAPER_PRECISION", "20ms",
                        "TALLYSTICK_REAPER_WORKERS", "7",
                        "TALLYSTICK_REAPER_WEDGED_AFTER", "1500ms",
                        "TALLYSTICK_REAPER_MAX_WEDGED_WORKERS", "3",
                        "TALLYSTICK_REAPER_STACK_CAPTURE_LEAD", "60s",
                        "TALLYSTICK_REAPER_CLOSE_MODE", "wait",
                        "TALLYSTICK_REAPER_CLOSE_TIMEOUT", "1h",
                        "TALLYSTICK_STORE", "file",
                        "PATH", "/bin")));
    }

    private static void assertAllAreRead(Settings.Builder settings) {
        ReaperOptions options = ReaperSettings.options(settings.build());
        assertThat(options.precision()).isEqualTo(Duration.ofMillis(20));
        assertThat(options.workers()).isEqualTo(7);
        assertThat(options.wedgedAfter()).isEqualTo(Duration.ofMillis(1500));
        assertThat(options.maxWedgedWorkers()).isEqualTo(3);
        assertThat(options.stackCaptureLead()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.closeMode()).isEqualTo(CloseMode.WAIT_FOR_OPEN);
        assertThat(options.closeTimeout()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void anUnknownKeyNamesTheNearestAndThePlace() {
        Properties properties = new Properties();
        properties.setProperty("tallystick.reaper.precission", "1s");
        assertThatThrownBy(() -> settings().withProperties(properties))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key 'tallystick.reaper.precission' in the system properties;"
                        + " did you mean 'tallystick.reaper.precision'?");
        assertThatThrownBy(() -> settings().withVariables(Map.of("TALLYSTICK_REAPER_WORKER", "1")))
                .hasMessage("unknown environment variable 'TALLYSTICK_REAPER_WORKER';"
                        + " did you mean 'TALLYSTICK_REAPER_WORKERS'?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            precision          | 0     | precision=0 is not between 1ms and 60s; it takes: how late a timeout
            precision          | 2m    | precision=120s is not between
            precision          | 100   | not a duration; write it like 100ms, 5s, 2m, 1h
            workers            | 0     | workers=0 is not between 1 and 1024
            workers            | 1025  | workers=1025 is not between
            workers            | four  | not a whole number
            max-wedged-workers | -1    | maxWedgedWorkers=-1 is not between 0 and 1024
            close-mode         | waits | did you mean 'wait'?
            close-timeout      | -1s   | not a duration
            """)
    void aBadValueNamesTheKeyAndWhatItTakes(String key, String value, String message) {
        assertThatThrownBy(() -> settings().set("tallystick.reaper." + key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("tallystick.reaper." + key + "='" + value + "' is not valid: ")
                .hasMessageContaining(message);
    }

    @Test
    void systemPropertiesGoBeforeTheFileWhichTheStoresShare() throws IOException {
        Path file = directory.resolve("tallystick.properties");
        Files.writeString(
                file, "tallystick.reaper.workers=2\ntallystick.reaper.precision=2ms\ntallystick.store=file\nother=1\n");
        System.setProperty("tallystick.configuration-file", file.toString());
        System.setProperty("tallystick.reaper.workers", "3");

        ReaperOptions options = ReaperSettings.fromEnvironment();

        assertThat(options.precision()).isEqualTo(Duration.ofMillis(2));
        assertThat(options.workers()).isEqualTo(3);
    }

    @Test
    void aMissingFileIsAnError() {
        System.setProperty("tallystick.configuration-file", "no/such/file");

        assertThatThrownBy(ReaperSettings::fromEnvironment)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("configuration file=no/such/file cannot be read");
    }

    private static Settings.Builder settings() {
        return Settings.builder(ReaperSettings.family());
    }

    private static List<String> rows() throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.matches("\\| `tallystick\\.reaper\\.[a-z-]+` \\| `.*"))
                .toList();
    }

    private static String row(Setting<?> setting) {
        return "| `" + setting + "` | `" + setting.defaultText().orElseThrow() + "` | " + setting.description() + " |";
    }
}

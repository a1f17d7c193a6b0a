package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReaperOptionsTest {
    @AfterEach
    void clearProperties() {
        System.clearProperty(ReaperOptions.WORKERS);
        System.clearProperty("tallystick.configuration-file");
    }

    @Test
    void defaultsAreAsDocumented() {
        ReaperOptions defaults = ReaperOptions.defaults();

        assertThat(defaults.precision()).isEqualTo(Duration.ofMillis(100));
        assertThat(defaults.idleAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(defaults.workers()).isEqualTo(4);
        assertThat(defaults.wedgedAfter()).isEqualTo(Duration.ofSeconds(5));
        assertThat(defaults.maxWedgedWorkers()).isEqualTo(16);
        assertThat(defaults.stackCaptureLead()).isZero();
        assertThat(defaults.stackCapturesPerLook()).isEqualTo(16);
        assertThat(defaults.closeMode()).isEqualTo(CloseMode.EXPIRE_OPEN);
        assertThat(defaults.closeTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(Integer.bitCount(defaults.stripes())).isEqualTo(1);
        assertThat(defaults.stripes())
                .isGreaterThanOrEqualTo(Math.min(1024, 32 * Runtime.getRuntime().availableProcessors()));
        assertThat(defaults.threadName()).isEqualTo("tallystick-reaper");
        assertThat(defaults.threadFactory()).isEmpty();
    }

    /** The table in docs/configuration.md and {@link ReaperOptions#toString} say the same. */
    @Test
    void theDocumentListsEveryKeyWithItsDefault() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Pattern row = Pattern.compile("\\| `(tallystick\\.reaper\\.[a-z-]+)` \\| `([^`]+)` \\|.*");
        for (String line : Files.readAllLines(Path.of("../docs/configuration.md"))) {
            Matcher matcher = row.matcher(line);
            if (matcher.matches()) {
                documented.put(matcher.group(1), matcher.group(2));
            }
        }
        Map<String, String> actual = new TreeMap<>();
        for (String setting : ReaperOptions.defaults().toString().split(" ")) {
            actual.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        assertThat(documented).isEqualTo(actual);
        assertThat(actual.keySet()).containsExactlyInAnyOrderElementsOf(ReaperOptions.keys());
    }

    @Test
    void everyKeyIsReadFromProperties() {
        Properties properties = new Properties();
        properties.setProperty("tallystick.reaper.precision", "20ms");
        properties.setProperty("tallystick.reaper.idle-after", " 2s ");
        properties.setProperty("tallystick.reaper.workers", "7");
        properties.setProperty("tallystick.reaper.wedged-after", "PT1.5S");
        properties.setProperty("tallystick.reaper.max-wedged-workers", "3");
        properties.setProperty("tallystick.reaper.stack-capture-lead", "1m");
        properties.setProperty("tallystick.reaper.stack-captures-per-look", "99");
        properties.setProperty("tallystick.reaper.close-mode", "wait");
        properties.setProperty("tallystick.reaper.close-timeout", "1h");
        properties.setProperty("tallystick.reaper.stripes", "64");
        properties.setProperty("tallystick.reaper.thread-name", "grim");
        properties.setProperty("tallystick.journal.io", "left alone");

        ReaperOptions options =
                ReaperOptions.builder().withProperties(properties).build();

        assertThat(options.precision()).isEqualTo(Duration.ofMillis(20));
        assertThat(options.idleAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.workers()).isEqualTo(7);
        assertThat(options.wedgedAfter()).isEqualTo(Duration.ofMillis(1500));
        assertThat(options.maxWedgedWorkers()).isEqualTo(3);
        assertThat(options.stackCaptureLead()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.stackCapturesPerLook()).isEqualTo(99);
        assertThat(options.closeMode()).isEqualTo(CloseMode.WAIT_FOR_OPEN);
        assertThat(options.closeTimeout()).isEqualTo(Duration.ofHours(1));
        assertThat(options.stripes()).isEqualTo(64);
        assertThat(options.threadName()).isEqualTo("grim");
    }

    @Test
    void whatToStringPrintsCanBeReadBack() {
        ReaperOptions options = ReaperOptions.builder()
                .precision(Duration.ofNanos(1_234_567))
                .closeMode(CloseMode.WAIT_FOR_OPEN)
                .closeTimeout(Duration.ZERO)
                .stripes(8)
                .build();
        ReaperOptions.Builder builder = ReaperOptions.builder();
        for (String setting : options.toString().split(" ")) {
            builder.set(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        assertThat(builder.build()).hasToString(options.toString());
        assertThat(options.toBuilder().build()).hasToString(options.toString());
    }

    @Test
    void anUnknownKeyNamesTheNearestAndThePlace() {
        assertThatThrownBy(() -> ReaperOptions.builder().withMap(Map.of("tallystick.reaper.precission", "1s")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key 'tallystick.reaper.precission' in the map;"
                        + " did you mean 'tallystick.reaper.precision'?");
        assertThatThrownBy(() -> ReaperOptions.builder().withVariables(Map.of("TALLYSTICK_REAPER_WORKER", "1")))
                .hasMessage("unknown key 'TALLYSTICK_REAPER_WORKER' in the environment variables;"
                        + " did you mean 'TALLYSTICK_REAPER_WORKERS'?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            precision               | 0         | the nearest valid one is 1ms; it takes a duration from 1ms to 60s
            precision               | 2m        | the nearest valid one is 60s
            precision               | 100       | not a duration; write it like 100ms, 5s, 2m, 1h
            precision               | -1s       | not a duration
            precision               | 99999999999999999h | not a duration
            workers                 | 0         | the nearest valid one is 1; it takes a whole number from 1 to 1024
            workers                 | 1025      | the nearest valid one is 1024
            workers                 | four      | not a whole number
            max-wedged-workers      | -1        | the nearest valid one is 0
            close-mode              | waits     | did you mean 'wait'?; it takes expire or wait
            stripes                 | 3         | the nearest valid one is 2
            stripes                 | 2048      | the nearest valid one is 1024
            stripes                 | many      | not a whole number; it takes auto, or a power of two
            thread-name             | ' '       | it is empty
            """)
    void aBadValueNamesTheKeyAndWhatItTakes(String key, String value, String message) {
        assertThatThrownBy(() -> ReaperOptions.builder().set("tallystick.reaper." + key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("tallystick.reaper." + key + "=")
                .hasMessageContaining(message);
    }

    @Test
    void typedSettersCheckTheSameBounds() {
        assertThatThrownBy(() -> ReaperOptions.builder().precision(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.reaper.precision=0 is not valid");
        assertThatThrownBy(() -> ReaperOptions.builder().workers(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ReaperOptions.builder().precision(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ReaperOptions.builder().listener(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void theBuilderIsAskedBeforeThePropertiesAndTheseBeforeTheFile(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("tallystick.properties");
        Files.writeString(
                file,
                "tallystick.reaper.workers=2\ntallystick.reaper.precision=2ms\ntallystick.reaper.idle-after=2s\n"
                        + "tallystick.store=file\n");
        System.setProperty("tallystick.configuration-file", file.toString());
        System.setProperty(ReaperOptions.WORKERS, "3");

        ReaperOptions options = ReaperOptions.builder()
                .idleAfter(Duration.ofSeconds(4))
                .withEnvironment()
                .build();

        assertThat(options.precision()).isEqualTo(Duration.ofMillis(2));
        assertThat(options.workers()).isEqualTo(3);
        assertThat(options.idleAfter()).isEqualTo(Duration.ofSeconds(4));
        assertThat(ReaperOptions.fromEnvironment().workers()).isEqualTo(3);
    }

    @Test
    void aMissingFileIsAnError() {
        System.setProperty("tallystick.configuration-file", "no/such/file");

        assertThatThrownBy(ReaperOptions::fromEnvironment)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("configuration file=no/such/file cannot be read");
    }

    @Test
    void environmentVariablesAreRead() {
        ReaperOptions options = ReaperOptions.builder()
                .withVariables(Map.of("TALLYSTICK_REAPER_STACK_CAPTURE_LEAD", "3s", "PATH", "/bin"))
                .build();

        assertThat(options.stackCaptureLead()).isEqualTo(Duration.ofSeconds(3));
    }
}

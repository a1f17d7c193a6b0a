package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class StoreOptionTest {
    static List<StoreOption<?>> options() {
        return StoreOption.own();
    }

    @ParameterizedTest
    @MethodSource("options")
    void everyOptionIsFoundByItsKeyAndDescribesItself(StoreOption<?> option) {
        assertThat(StoreOption.named(option.key())).contains(option);
        assertThat(option.key()).matches("tallystick(\\.[a-z-]+)+");
        assertThat(option.environmentName()).matches("TALLYSTICK(_[A-Z]+)+");
        assertThat(option.description()).isNotBlank();
        assertThat(option).hasToString(option.key());
    }

    @Test
    void keysAndVariablesAreDistinct() {
        assertThat(new HashSet<>(options().stream().map(StoreOption::key).toList()))
                .hasSameSizeAs(options());
        assertThat(new HashSet<>(
                        options().stream().map(StoreOption::environmentName).toList()))
                .hasSameSizeAs(options());
    }

    @Test
    void defaultsAreValuesThatTheOptionItselfAccepts() {
        assertThat(StoreOption.JOURNAL_SEGMENT_SIZE.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.JOURNAL_SEGMENT_SIZE.parse("32MiB"));
        assertThat(StoreOption.JOURNAL_SEGMENTS.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.JOURNAL_SEGMENTS.parse("4"));
        assertThat(StoreOption.JOURNAL_BLOCK_SIZE.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.JOURNAL_BLOCK_SIZE.parse("4KiB"));
        assertThat(StoreOption.MAX_STATE_SIZE.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.MAX_STATE_SIZE.parse("1MiB"));
        assertThat(StoreOption.REMOVE_DURABILITY.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.REMOVE_DURABILITY.parse("deferred"));
        assertThat(StoreOption.ON_UNKNOWN_OUTCOME.defaultValue().orElseThrow())
                .isEqualTo(StoreOption.ON_UNKNOWN_OUTCOME.parse("throw"));
        assertThat(StoreOption.EXPECT_EXISTING.defaultValue()).contains(false);
        assertThat(StoreOption.STORE.defaultValue()).contains("journal");
        assertThat(StoreOption.DIRECTORY.defaultValue()).isEmpty();
        assertThat(StoreOption.JOURNAL_IO.parse(
                        StoreOption.JOURNAL_IO.defaultValue().orElseThrow()))
                .isEqualTo("auto");
        assertThat(StoreOption.JOURNAL_ENGINE.parse(
                        StoreOption.JOURNAL_ENGINE.defaultValue().orElseThrow()))
                .isEqualTo(StoreOption.JOURNAL_ENGINE.defaultValue().orElseThrow());
    }

    @Test
    void whoWroteTrueOrFalseForTheSecondCopyIsToldWhatToWriteNow() {
        for (String former : List.of("true", "FALSE")) {
            assertThatThrownBy(() -> StoreOption.REQUIRE_REPLICATION.parse(former))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tallystick.require-replication")
                    .hasMessageContaining("write standby instead of true, and none instead of false");
        }
        for (StoreOption.Replication each : StoreOption.Replication.values()) {
            assertThat(StoreOption.REQUIRE_REPLICATION.parse(each.toString())).isEqualTo(each);
        }
        assertThat(StoreOption.REQUIRE_REPLICATION.defaultValue()).contains(StoreOption.Replication.STANDBY);
    }

    @Test
    void valuesAreReadWithoutTheSpaceAroundThem() {
        assertThat(StoreOption.JOURNAL_IO.parse(" AIO ")).isEqualTo("aio");
        assertThat(StoreOption.JOURNAL_ENGINE.parse("Segmented")).isEqualTo("segmented");
        assertThat(StoreOption.JOURNAL_ENGINE.parse("ring")).isEqualTo("ring");
        assertThat(StoreOption.DIRECTORY.parse(" /a b ")).isEqualTo(Path.of("/a b"));
        assertThat(StoreOption.REMOVE_DURABILITY.parse("forced")).isEqualTo(Durability.FORCED);
        assertThat(StoreOption.ON_UNKNOWN_OUTCOME.parse("halt")).isEqualTo(StoreOption.OnUnknownOutcome.HALT);
        assertThat(StoreOption.ON_LOST_LOG.parse("halt")).isEqualTo(StoreOption.OnLostLog.HALT);
        assertThat(StoreOption.EXPECT_EXISTING.parse("true")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tallystick.journal.io | urng | did you mean 'uring'?",
                "tallystick.journal.io | AIOX | did you mean 'aio'?",
                "tallystick.journal.engine | segment | did you mean 'segmented'?",
                "tallystick.remove-durability | defered | did you mean 'deferred'?",
                "tallystick.on-unknown-outcome | exit | write one of",
                "tallystick.expect-existing | yes | write true or false",
                "tallystick.jmx | ture | write true or false",
                "tallystick.journal.segment-size | 1KiB | not between 64KiB and 2047MiB",
                "tallystick.journal.segment-size | 2GiB | not between 64KiB and 2047MiB",
                "tallystick.journal.segment-size | big | not a size such as 64MiB",
                "tallystick.journal.segments | 3 | not between 4 and 4096",
                "tallystick.journal.segments | 4097 | not between 4 and 4096",
                "tallystick.journal.segments | four | not a whole number",
                "tallystick.journal.block-size | 5000 | not a power of two",
                "tallystick.journal.block-size | 256 | not between 512 and 64KiB",
                "tallystick.max-state-size | 1023 | not between 1KiB and 256MiB",
                "tallystick.directory | '' | the path is empty"
            })
    void badValueIsRefusedNamingKeyValueAndWhatItTakes(String key, String value, String reason) {
        StoreOption<?> option = StoreOption.named(key).orElseThrow();

        assertThatThrownBy(() -> option.parse(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(key + "='" + value + "' is not valid: ")
                .hasMessageContaining(reason)
                .hasMessageEndingWith("it takes: " + option.description());
    }

    @Test
    void pathThatIsNoneIsRefused() {
        assertThatThrownBy(() -> StoreOption.DIRECTORY.parse("/a\0b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.directory='/a\\u0000b'")
                .hasMessageContaining("not a path");
    }

    @Test
    void unknownKeyHasNoOption() {
        assertThat(StoreOption.named("tallystick.nothing")).isEmpty();
        assertThat(StoreOption.named("TALLYSTICK_STORE")).isEmpty();
    }
}

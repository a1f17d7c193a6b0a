package io.tallystick.store.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "7ns, PT0.000000007S",
        "7us, PT0.000007S",
        "100ms, PT0.1S",
        "100 ms, PT0.1S",
        "5S, PT5S",
        "2m, PT2M",
        "1h, PT1H",
        "PT1.5S, PT1.5S"
    })
    void aNumberWithAUnitOrIsoTextIsADuration(String text, Duration duration) {
        assertThat(DurationText.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "-1s", "1.5s", "5 minutes", "99999999999999999h", "1s1s"})
    void otherTextIsRefusedWithAnExample(String text) {
        assertThatThrownBy(() -> DurationText.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a duration; write it like 100ms, 5s, 2m, 1h");
    }
}

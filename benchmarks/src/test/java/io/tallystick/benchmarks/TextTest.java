package io.tallystick.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class TextTest {
    @Test
    void figuresHaveThreeDigitsThatCount() {
        assertThat(Text.three(0.004)).isEqualTo("0.00");
        assertThat(Text.three(8.254)).isEqualTo("8.25");
        assertThat(Text.three(9.999)).isEqualTo("10.0");
        assertThat(Text.three(73.06)).isEqualTo("73.1");
        assertThat(Text.three(99.97)).isEqualTo("100");
        assertThat(Text.three(1234.4)).isEqualTo("1,234");
        assertThat(Text.three(-12.34)).isEqualTo("-12.3");
    }

    @Test
    void timesAreInTheUnitThatFits() {
        assertThat(Text.micros(8.25)).isEqualTo("8.25 us");
        assertThat(Text.micros(999.6)).isEqualTo("1.00 ms");
        assertThat(Text.micros(73_100)).isEqualTo("73.1 ms");
        assertThat(Text.micros(1_200_000)).isEqualTo("1.20 s");
    }

    @Test
    void sharesAndFactors() {
        assertThat(Text.percent(0.84)).isEqualTo("84 %");
        assertThat(Text.percent(0.0123)).isEqualTo("1.2 %");
        assertThat(Text.percent(2.5)).isEqualTo("250 %");
        assertThat(Text.times(1.824)).isEqualTo("1.82x");
    }

    @Test
    void clocksShowHoursOnlyWhereThereAreAny() {
        assertThat(Text.clock(Duration.ofSeconds(65))).isEqualTo("1:05");
        assertThat(Text.clock(Duration.ofMillis(-5))).isEqualTo("0:00");
        assertThat(Text.clock(Duration.ofSeconds(3725))).isEqualTo("1:02:05");
    }

    @Test
    void figuresAreTheSameInEveryCountry() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(Text.whole(135_128.4)).isEqualTo("135,128");
            assertThat(Text.three(8.25)).isEqualTo("8.25");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void longTextIsBrokenAtSpaces() {
        assertThat(Text.wrapped("one two three", 7)).containsExactly("one two", "three");
        assertThat(Text.wrapped("one two", Terminal.UNLIMITED)).containsExactly("one two");
        assertThat(Text.wrapped("/a/very/long/path x", 6)).containsExactly("/a/ver", "y/long", "/path", "x");
        assertThat(Text.wrapped("", 6)).containsExactly("");
    }

    @Test
    void nounsFollowTheirNumber() {
        assertThat(Text.counted(1, "thread")).isEqualTo("1 thread");
        assertThat(Text.counted(16, "thread")).isEqualTo("16 threads");
    }
}

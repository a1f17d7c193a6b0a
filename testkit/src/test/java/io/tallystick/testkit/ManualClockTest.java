package io.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ManualClockTest {
    @Test
    void standsStillUntilItIsMoved() {
        ManualClock clock = new ManualClock(5);

        assertThat(clock.nanoTime()).isEqualTo(5);
        assertThat(clock.nanoTime()).isEqualTo(5);
        clock.advance(Duration.ofNanos(3));
        assertThat(clock.nanoTime()).isEqualTo(8);
    }

    @Test
    void overflowsWithinMinutes() {
        ManualClock clock = new ManualClock();
        long before = clock.nanoTime();
        clock.advance(Duration.ofMinutes(2));

        assertThat(clock.nanoTime()).isNegative();
        assertThat(clock.nanoTime() - before).isEqualTo(Duration.ofMinutes(2).toNanos());
    }

    @Test
    void neverGoesBack() {
        ManualClock clock = new ManualClock();

        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
    }
}

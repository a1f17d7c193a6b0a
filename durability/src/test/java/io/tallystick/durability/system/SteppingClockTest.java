package io.tallystick.durability.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteppingClockTest {
    private final ManualClock base = new ManualClock();

    @Test
    void itLeapsForwardAndNeverGoesBack() {
        SteppingClock clock = new SteppingClock(base, 1);
        long begun = clock.nanoTime();
        long before = begun;
        for (int i = 0; i < 1_000; i++) {
            base.advance(Duration.ofMillis(10));
            long now = clock.nanoTime();
            assertThat(now - before)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(10).toNanos());
            before = now;
        }

        assertThat(Duration.ofNanos(clock.leaptNanos())).isGreaterThan(Duration.ofMinutes(10));
        assertThat(before - begun).isGreaterThan(Duration.ofMinutes(10).toNanos());
    }

    @Test
    void betweenTwoStepsItGoesAsTheOtherClock() {
        SteppingClock clock = new SteppingClock(base, 1);
        clock.nanoTime();
        long before = clock.nanoTime();

        assertThat(clock.nanoTime()).isEqualTo(before);
    }
}

package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteTimesTest {
    private static final long NOW = Long.MAX_VALUE - 1_000_000; // the clock may overflow
    private static final long GUESS = WriteTimes.FIRST_GUESS_NANOS;

    private final WriteTimes times = new WriteTimes(NOW);

    @Test
    void anAppendThatWasQueuedBeforeTheWriteBeganGoesWithIt() {
        times.begun(NOW + 2_000_000);
        assertThat(times.expectedEnd(NOW)).isEqualTo(NOW + 2_000_000 + GUESS);
        assertThat(times.expectedEnd(NOW + 2_000_000)).isEqualTo(NOW + 2_000_000 + GUESS);
    }

    @Test
    void anAppendThatWasQueuedAfterTheWriteBeganGoesWithTheNext() {
        times.begun(NOW + 999_999);
        assertThat(times.expectedEnd(NOW + 1_000_001)).isEqualTo(NOW + 999_999 + 2 * GUESS);
    }

    @Test
    void theUsualTimeIsTheMiddleOneAndNotTheMean() {
        for (int write = 0; write < 300; write++) {
            times.took(write % 10 == 0 ? 50_000_000 : 400_000);
        }
        assertThat(times.usualNanos()).isBetween(300_000L, 500_000L);
    }

    @Test
    void oneStallMovesTheUsualTimeByASixteenth() {
        times.took(10_000_000_000L);
        assertThat(times.usualNanos()).isBetween(GUESS, GUESS + GUESS / 16 + 1);
    }

    @Test
    void theUsualTimeComesBackFromNothing() {
        for (int write = 0; write < 1_000; write++) {
            times.took(0);
        }
        for (int write = 0; write < 1_000; write++) {
            times.took(100_000);
        }
        assertThat(times.usualNanos()).isBetween(90_000L, 110_000L);
    }
}

package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SettlingTest {
    @Test
    void aJvmThatStillCompilesIsWaitedFor() throws InterruptedException {
        AtomicLong looks = new AtomicLong();

        // Half a look of work in each of the first three looks, and nothing afterwards.
        Settling.await(() -> TimeUnit.MILLISECONDS.toNanos(50) * Math.min(3, looks.getAndIncrement()));

        assertThat(looks).hasValue(5);
    }

    @Test
    void aJvmThatNeverRestsIsLeftAlone() throws InterruptedException {
        AtomicLong looks = new AtomicLong();

        Settling.await(() -> TimeUnit.MILLISECONDS.toNanos(50) * looks.getAndIncrement());

        assertThat(looks).hasValue(51);
    }
}

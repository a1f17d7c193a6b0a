package io.tallystick.testkit;

import io.tallystick.storage.NanoClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves when the test says so. Any thread may read and move it.
 *
 * <p>It begins a minute before the value overflows. So a test finds code that compares instants by size instead of by
 * difference.
 */
public final class ManualClock implements NanoClock {
    private static final long BEFORE_OVERFLOW_NANOS = Duration.ofMinutes(1).toNanos();

    private final AtomicLong nanos;

    /** A clock that stands a minute before the overflow. */
    public ManualClock() {
        this(Long.MAX_VALUE - BEFORE_OVERFLOW_NANOS);
    }

    /** A clock that stands at this instant, nanoseconds. */
    public ManualClock(long nanos) {
        this.nanos = new AtomicLong(nanos);
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    /**
     * Moves the clock on.
     *
     * @throws IllegalArgumentException the duration is negative: a monotonic clock never goes back
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration=" + duration + " is negative");
        }
        nanos.addAndGet(duration.toNanos());
    }
}

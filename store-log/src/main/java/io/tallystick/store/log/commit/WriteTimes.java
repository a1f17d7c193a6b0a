package io.tallystick.store.log.commit;

/**
 * When the write in flight began, and how long a write usually takes. So a waiting thread knows when its append should
 * be on disk.
 *
 * <p>The usual time is a running median. Each write moves it by a sixteenth towards its own time, however far away that
 * is (Ma, Muthukrishnan and Sandler, "Frugal Streaming for Estimating Quantiles", 2013). So one stall of the disk moves
 * it no further than any other write.
 *
 * <p>Both fields are hints: nothing but the length of a wait depends on them.
 */
final class WriteTimes {
    /** The usual time before the first write: that of a fast disk, so the first waits are short. */
    static final long FIRST_GUESS_NANOS = 100_000;

    private static final int STEPS = 16;

    // Written by the thread that writes.
    private volatile long begun;
    // Written under the layout lock.
    private volatile long usualNanos = FIRST_GUESS_NANOS;

    /** No write is in flight yet. */
    WriteTimes(long now) {
        begun = now;
    }

    /** A write begins. */
    void begun(long now) {
        begun = now;
    }

    /** A write is on disk, and took this long. Under the layout lock. */
    void took(long nanos) {
        long usual = usualNanos;
        usualNanos = nanos > usual ? usual + usual / STEPS + 1 : usual - usual / STEPS;
    }

    long usualNanos() {
        return usualNanos;
    }

    /**
     * When an append that was queued at this time should be on disk. One that was queued after the last write began
     * goes with the write after it.
     */
    long expectedEnd(long queuedAt) {
        long usual = usualNanos;
        long since = begun;
        return since + (since - queuedAt < 0 ? 2 * usual : usual);
    }
}

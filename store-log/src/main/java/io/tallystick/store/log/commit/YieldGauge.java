package io.tallystick.store.log.commit;

import io.tallystick.storage.NanoClock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Yields the processor, and finds out whether a thread that does so gets it back soon.
 *
 * <p>Among threads that commit it does: each of them has a few microseconds of work and then waits as well. Beside
 * threads that compute without end it does not: the scheduler counts the turn that was given away as used, and gives
 * the others theirs, some milliseconds each. Then sleeping is better, because a thread that is woken comes before them.
 *
 * <p>So every yield is timed. It is slow if it took longer than {@value #SLOW_NANOS} ns, and {@value #TURN_NANOS} ns
 * more for each thread that waits like this one. In each window of {@value #WINDOW_NANOS} ns the time in slow yields is
 * compared with the time in all yields. If it is more than half, the processors are {@link #isBusy() busy}. After
 * {@value #REST_NANOS} ns one thread tries {@value #PROBES} yields; if none is slow, all threads yield again.
 *
 * <p>A collection of garbage, or a neighbour of a virtual machine, stops all threads for a while. That makes the yield
 * of each waiting thread slow once. So a slow yield counts as {@value #MOST_SLOW_NANOS} ns at most, and a window with
 * little more than that for each thread says nothing, unless the window before was slow as well.
 */
final class YieldGauge {
    static final long SLOW_NANOS = 200_000;
    static final long TURN_NANOS = 20_000;
    static final long WINDOW_NANOS = 50_000_000;
    static final long REST_NANOS = 250_000_000;
    static final int PROBES = 10;

    /** A slow yield counts as this much at most: about the turn of a thread that computes. */
    static final long MOST_SLOW_NANOS = 5_000_000;

    /** Slow yields of less than this do not count, nanoseconds: a window in which next to no thread yielded. */
    static final long LEAST_SLOW_NANOS = WINDOW_NANOS / 6;

    private final NanoClock clock;
    private final Runnable yield;
    private final AtomicInteger yielding = new AtomicInteger(); // threads between begin and end
    private final AtomicLong allNanos = new AtomicLong();
    private final AtomicLong slowNanos = new AtomicLong();
    private final AtomicBoolean probing = new AtomicBoolean();

    // Under the layout lock.
    private long windowBegun;
    private int mostYielding;
    private boolean wasSlow;

    // Set to true under the layout lock, after the time of the next probe; set to false by the thread that probes.
    private volatile boolean busy;
    private volatile long probeAt;

    /** A gauge that has seen nothing yet. The second argument yields the processor. */
    YieldGauge(NanoClock clock, Runnable yield) {
        this.clock = clock;
        this.yield = yield;
        this.windowBegun = clock.nanoTime();
    }

    /** Whether a thread that yields would not get the processor back soon. */
    boolean isBusy() {
        return busy;
    }

    /** Whether this thread should yield now. May try that out. */
    boolean pays(long now) {
        return !busy || (now - probeAt >= 0 && probe());
    }

    /** This thread begins to wait by yielding. It stands for this many threads that do so. */
    void begin(int standsFor) {
        yielding.addAndGet(standsFor);
    }

    /** This thread yields no more for now. Its quick yields since it began took this long. */
    void end(long quickNanos, int standsFor) {
        yielding.addAndGet(-standsFor);
        if (quickNanos > 0) {
            allNanos.addAndGet(quickNanos * standsFor);
        }
    }

    /** Yields once. Returns how long that took if it was quick; 0 if it was slow, which is counted here. */
    long yieldOnce(long now, int standsFor) {
        yield.run();
        long took = clock.nanoTime() - now;
        if (!isSlow(took)) {
            return took;
        }
        long counted = Math.min(took, MOST_SLOW_NANOS) * standsFor;
        allNanos.addAndGet(counted);
        slowNanos.addAndGet(counted);
        return 0;
    }

    /** Yields once, and does not count it. */
    void yieldUntimed() {
        yield.run();
    }

    /** Looks at the yields of the last window, if it is over. Under the layout lock. */
    void look(long now) {
        mostYielding = Math.max(mostYielding, yielding.get());
        if (now - windowBegun < WINDOW_NANOS) {
            return;
        }
        long all = allNanos.getAndSet(0);
        long slow = slowNanos.getAndSet(0);
        boolean isSlow = slow > all / 2 && slow > LEAST_SLOW_NANOS;
        boolean isMoreThanOneStop = slow > 2 * MOST_SLOW_NANOS * mostYielding;
        if (isSlow && (isMoreThanOneStop || wasSlow) && !busy) {
            probeAt = now + REST_NANOS;
            busy = true;
        }
        windowBegun = now;
        mostYielding = 0;
        wasSlow = isSlow;
    }

    /** One thread at a time finds out whether yields are quick again. */
    private boolean probe() {
        if (!probing.compareAndSet(false, true)) {
            return false;
        }
        try {
            for (int i = 0; i < PROBES; i++) {
                long begun = clock.nanoTime();
                yield.run();
                long now = clock.nanoTime();
                if (isSlow(now - begun)) {
                    probeAt = now + REST_NANOS;
                    return false;
                }
            }
            busy = false;
            return true;
        } finally {
            probing.set(false);
        }
    }

    private boolean isSlow(long nanos) {
        return nanos > SLOW_NANOS + TURN_NANOS * yielding.get();
    }
}

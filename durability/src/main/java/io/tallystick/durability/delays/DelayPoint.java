package io.tallystick.durability.delays;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The pauses of a process in which {@link DelayAgent} runs. A thread that passes a place pauses there now and then, for
 * {@value #LEAST_NANOS} ns to {@value #MOST_NANOS} ns; each length is as likely as its double.
 *
 * <p>A place makes its first {@value #EAGER_PASSES} passes pause often, and later ones seldom: a place in a loop must
 * not bring the store to a halt. From some thousands of passes on, the pauses of a place grow with the logarithm of its
 * passes: 100,000 passes make 330 pauses, which together take a second.
 *
 * <p>A pause is no {@link LockSupport#park}: that would take the permit of a wake-up, which no delay does.
 */
public final class DelayPoint {
    static final long LEAST_NANOS = 10_000;
    static final long MOST_NANOS = 20_000_000;
    static final int EAGER_PASSES = 64;

    private static final int EAGER_ONE_IN = 4;
    private static final int LATER_ONE_IN = 32;
    private static final int PASSES_FOR_ONE_LESS = 64;
    private static final int COUNTERS = 4096;

    private static final AtomicIntegerArray PASSES = new AtomicIntegerArray(COUNTERS);
    private static final AtomicLong SEEDS = new AtomicLong();
    private static final AtomicLong PAUSES = new AtomicLong();
    private static final ThreadLocal<SplittableRandom> RANDOM =
            ThreadLocal.withInitial(() -> new SplittableRandom(SEEDS.incrementAndGet()));

    private DelayPoint() {}

    /** Begins the random numbers of this process's threads. */
    static void seed(long seed) {
        SEEDS.set(seed << Integer.SIZE);
    }

    /** The pauses of this process so far. */
    static long pauses() {
        return PAUSES.get();
    }

    /**
     * A thread passes a place; called by the code that {@link DelayWeaver} weaves in.
     *
     * @param place the number of the place
     */
    public static void pass(int place) {
        int passes = PASSES.getAndIncrement(place % COUNTERS);
        SplittableRandom random = RANDOM.get();
        if (random.nextInt(oneIn(passes)) == 0) {
            PAUSES.incrementAndGet();
            pause(nanos(random.nextDouble()));
        }
    }

    /** A place that has been passed so often pauses in one of this many further passes. */
    static int oneIn(int passes) {
        return passes < EAGER_PASSES ? EAGER_ONE_IN : Math.max(LATER_ONE_IN, passes / PASSES_FOR_ONE_LESS);
    }

    /** The length of a pause for a random number from 0 to 1, nanoseconds. */
    static long nanos(double uniform) {
        return (long) (LEAST_NANOS * Math.pow((double) MOST_NANOS / LEAST_NANOS, uniform));
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException meantForTheStore) {
                Thread.currentThread().interrupt();
            }
        }
        while (System.nanoTime() < end) {
            Thread.yield();
        }
    }
}

package io.tallystick.durability.system;

import io.tallystick.storage.NanoClock;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that leaps forward now and then, as that of a virtual machine does that was suspended. It never goes back, as
 * {@link NanoClock} promises. Any number of threads may use it.
 */
public final class SteppingClock implements NanoClock {
    private static final int MAX_PAUSE_MILLIS = 1_000;
    private static final int MAX_STEP_SECONDS = 3_600;

    private final NanoClock base;
    // Its own lock guards it.
    private final Random random;
    private final AtomicLong nextStep;
    private final AtomicLong leapt = new AtomicLong();

    /** A clock that adds its steps to another one. */
    public SteppingClock(NanoClock base, long seed) {
        this.base = base;
        this.random = new Random(seed);
        this.nextStep = new AtomicLong(base.nanoTime());
    }

    @Override
    public long nanoTime() {
        long now = base.nanoTime();
        long due = nextStep.get();
        if (now - due >= 0 && nextStep.compareAndSet(due, now + pauseNanos())) {
            leapt.addAndGet(stepNanos());
        }
        return now + leapt.get();
    }

    /** The time that the clock is ahead of the other one, nanoseconds. */
    public long leaptNanos() {
        return leapt.get();
    }

    private long pauseNanos() {
        return TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(MAX_PAUSE_MILLIS));
    }

    /** Most steps are short. */
    private long stepNanos() {
        long longest = random.nextInt(4) == 0 ? TimeUnit.SECONDS.toNanos(MAX_STEP_SECONDS) : 1_000_000_000L;
        return (long) (random.nextDouble() * longest);
    }
}

package io.tallystick.reaper;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One look of the reaper's thread. Belongs to the thread that is the watch, as {@link Wakefulness} says;
 * not thread-safe, except for the figures.
 */
final class Watch {
    /** How long after the last arrival the watch goes on looking in every tick. */
    static final long IDLE_AFTER_NANOS = Duration.ofSeconds(1).toNanos();
    /** How many stacks one look captures at most: a capture takes a safepoint of the JVM or a handshake. */
    static final int CAPTURES_PER_LOOK = 16;

    private final Stripes stripes;
    private final Wheel wheel;
    private final CancelWorkers workers;
    private final ReaperClock clock;

    private long lastArrivalNanos;

    /** Keeps others from counting while arrivals move from the stripes to the ring. */
    private final ReentrantLock counting = new ReentrantLock();

    // Guarded by counting.
    private long taken;
    private int held;
    private long looks;

    Watch(Stripes stripes, ReaperOptions options, ReaperClock clock, ThreadFactory threads) {
        long tickNanos = Math.max(1, options.precision().toNanos() / 2);
        this.stripes = stripes;
        this.clock = clock;
        this.wheel = new Wheel(
                clock.nanoTime(), tickNanos, options.stackCaptureLead().toNanos());
        this.workers = new CancelWorkers(options, clock, threads, tickNanos);
        this.lastArrivalNanos = clock.nanoTime();
    }

    /** Sees the registrations that have arrived, forgets those that have ended and hands over those that are due. */
    void look() {
        wheel.turnTo(clock.nanoTime());
        counting.lock();
        try {
            admitArrivals();
            held = wheel.held();
            looks++;
        } finally {
            counting.unlock();
        }
        captureStacks();
        workers.tend(wheel.due(), clock.nanoTime());
    }

    /** Forgets at once whatever has ended. */
    void forgetEnded() {
        wheel.lookAtAll(clock.nanoTime());
        captureStacks();
        workers.tend(wheel.due(), clock.nanoTime());
        countHeld();
    }

    /** Makes everything that is open due now. */
    void expireOpen() {
        wheel.expireAll();
        workers.tend(wheel.due(), clock.nanoTime());
        countHeld();
    }

    /** Whether it must look again at {@link #nextTickNanos}, because transactions are coming in or being cancelled. */
    boolean isBusy() {
        return clock.nanoTime() - lastArrivalNanos < IDLE_AFTER_NANOS || workers.needTending();
    }

    /** Whether there is nothing that could ever be due. */
    boolean hasNothing() {
        return wheel.held() == 0;
    }

    /** Whether looking at everything costs little more than finding out when to look next. */
    boolean hasLittle() {
        return wheel.held() <= Wheel.SLOTS;
    }

    long nextTickNanos() {
        return wheel.nextTickNanos();
    }

    /** When something may have to be done, if nothing arrives. There must be {@linkplain #hasNothing something}. */
    long nextLookNanos() {
        return wheel.nextLookNanos();
    }

    /** Whether nothing is open, waiting or being cancelled. */
    boolean isDrained() {
        return wheel.held() == 0 && workers.areIdle();
    }

    /** Begins nothing any more. Returns how many transactions are left open or half cancelled. */
    int stop() {
        return workers.stop() + wheel.held();
    }

    /** Any thread. */
    Counts counts() {
        counting.lock();
        try {
            return new Counts(taken, stripes.arrivals(), held, looks);
        } finally {
            counting.unlock();
        }
    }

    /**
     * How many transactions there were.
     *
     * @param taken ever taken from the stripes
     * @param arrived pushed to the stripes since
     * @param held in the ring after the last look
     * @param looks how many looks there were
     */
    record Counts(long taken, long arrived, int held, long looks) {}

    /** Any thread. */
    CancelWorkers.Figures workerFigures() {
        return workers.figures();
    }

    /** The clock is read after a stripe is taken, so no deadline counts from before its registration. */
    private void admitArrivals() {
        for (int stripe = 0; stripe < stripes.count(); stripe++) {
            Registration first = stripes.take(stripe);
            if (first != null) {
                taken += first.rank;
                lastArrivalNanos = clock.nanoTime();
                wheel.admit(first, lastArrivalNanos);
            }
        }
    }

    private void countHeld() {
        counting.lock();
        try {
            held = wheel.held();
        } finally {
            counting.unlock();
        }
    }

    private void captureStacks() {
        int captures = 0;
        RegistrationQueue toCapture = wheel.toCapture();
        for (Registration registration = toCapture.poll(); registration != null; registration = toCapture.poll()) {
            if (captures < CAPTURES_PER_LOOK) {
                captures++;
                registration.captureOwnerStack();
            } else {
                registration.forgetOwner();
            }
            wheel.back(registration, clock.nanoTime());
        }
    }
}

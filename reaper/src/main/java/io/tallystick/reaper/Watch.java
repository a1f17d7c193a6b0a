package io.tallystick.reaper;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The work of the reaper's thread at a look. Only the thread that is the watch, see {@link WatchState}, uses it. Any
 * thread may read the figures.
 */
final class Watch {
    /** The watch looks in every tick for this time after the last arrival. */
    static final long IDLE_AFTER_NANOS = Duration.ofSeconds(1).toNanos();
    /** The most stacks that one look captures, because a capture takes a safepoint of the JVM or a handshake. */
    static final int CAPTURES_PER_LOOK = 16;

    private final Stripes stripes;
    private final Wheel wheel;
    private final CancelWorkers workers;
    private final ReaperClock clock;

    private long lastArrivalNanos;

    /** Keeps other threads from counting while arrivals move from the stripes to the ring. */
    private final SureLock counting = new SureLock();

    @GuardedBy("counting") private long taken;

    @GuardedBy("counting") private int held;

    @GuardedBy("counting") private long looks;

    /** The list that was taken from a stripe and has no deadlines yet; null between two looks that came to an end. */
    @GuardedBy("counting") private @Nullable Registration unadmitted;

    Watch(Stripes stripes, ReaperOptions options, ReaperClock clock, ThreadFactory threads, ReaperLog log) {
        long tickNanos = Math.max(1, options.precision().toNanos() / 2);
        this.stripes = stripes;
        this.clock = clock;
        this.wheel = new Wheel(
                clock.nanoTime(), tickNanos, options.stackCaptureLead().toNanos());
        this.workers = new CancelWorkers(options, clock, threads, log, tickNanos);
        this.lastArrivalNanos = clock.nanoTime();
    }

    /** Takes the registrations that have arrived, forgets those that have ended, and hands over those that are due. */
    void look() {
        wheel.turnTo(clock.nanoTime());
        counting.lock();
        try {
            admitArrivals();
            held = wheel.size();
            looks++;
        } finally {
            counting.unlock();
        }
        captureStacks();
        workers.tend(wheel.due(), clock.nanoTime());
    }

    /** Forgets all ended registrations at once. */
    void forgetEnded() {
        wheel.lookAtAll(clock.nanoTime());
        captureStacks();
        workers.tend(wheel.due(), clock.nanoTime());
        countHeld();
    }

    /** Makes all open registrations due now. */
    void expireOpen() {
        wheel.expireAll();
        workers.tend(wheel.due(), clock.nanoTime());
        countHeld();
    }

    /** Whether it must look again at {@link #nextTickNanos}, because transactions arrive or are being cancelled. */
    boolean isBusy() {
        return clock.nanoTime() - lastArrivalNanos < IDLE_AFTER_NANOS || workers.needTending();
    }

    /** Whether the ring is empty. */
    boolean hasNothing() {
        return wheel.size() == 0;
    }

    /** Whether a look at all registrations costs little more than the search for the next look. */
    boolean hasLittle() {
        return wheel.size() <= Wheel.SLOTS;
    }

    long nextTickNanos() {
        return wheel.nextTickNanos();
    }

    /** The time of the next look if no transaction arrives. The ring must not be {@linkplain #hasNothing empty}. */
    long nextLookNanos() {
        return wheel.nextLookNanos();
    }

    /** Whether no transaction is open, waiting or being cancelled. */
    boolean isDrained() {
        return wheel.size() == 0 && workers.areIdle();
    }

    /** Begins no further cancellation. Returns the number of transactions that are open or being cancelled. */
    int stop() {
        return workers.stop() + wheel.sizeWithQueues();
    }

    /** As {@link #stop}, where no thread has looked: it counts the transactions that have arrived since as well. */
    int stopUnseen() {
        counting.lock();
        try {
            admitArrivals();
        } finally {
            counting.unlock();
        }
        return stop();
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
     * Numbers of transactions.
     *
     * @param taken all that were taken from the stripes
     * @param arrived pushed to the stripes since
     * @param held in the ring after the last look
     * @param looks number of looks
     */
    record Counts(long taken, long arrived, int held, long looks) {}

    /** Any thread. */
    CancelWorkers.Figures workerFigures() {
        return workers.figures();
    }

    /**
     * The clock is read after a stripe is taken, so no deadline counts from before its registration. It is code of the
     * user: if it throws, the next look goes on with the list.
     */
    @GuardedBy("counting") private void admitArrivals() {
        for (int stripe = 0; stripe < stripes.count(); stripe++) {
            admitTaken();
            unadmitted = stripes.take(stripe);
            taken += unadmitted == null ? 0 : unadmitted.rank;
            admitTaken();
        }
    }

    @GuardedBy("counting") private void admitTaken() {
        if (unadmitted != null) {
            lastArrivalNanos = clock.nanoTime();
            Registration first = unadmitted;
            unadmitted = null;
            wheel.admit(first, lastArrivalNanos);
        }
    }

    private void countHeld() {
        counting.lock();
        try {
            held = wheel.size();
        } finally {
            counting.unlock();
        }
    }

    private void captureStacks() {
        RegistrationQueue toCapture = wheel.toCapture();
        if (toCapture.isEmpty()) {
            return;
        }
        long nowNanos = clock.nanoTime();
        int captures = 0;
        for (Registration registration = toCapture.poll(); registration != null; registration = toCapture.poll()) {
            if (captures < CAPTURES_PER_LOOK) {
                captures++;
                capture(registration);
            } else {
                registration.forgetOwner();
            }
            wheel.putBack(registration, nowNanos);
        }
    }

    /** A stack is the largest object that the reaper makes. Where there is no memory for it, the expiry has none. */
    private static void capture(Registration registration) {
        try {
            registration.captureOwnerStack();
        } catch (RuntimeException | Error uncaptured) {
            registration.forgetOwner();
        }
    }
}

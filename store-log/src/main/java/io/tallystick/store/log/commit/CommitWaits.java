package io.tallystick.store.log.commit;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.log.spi.WaitStrategy;
import java.util.function.IntSupplier;

/**
 * How threads wait for a durable write of a log on this machine: the thread that begins it, and the threads whose
 * appends it carries.
 *
 * <h2>Why it matters</h2>
 *
 * A durable write takes time L, and some 40 us of processor, whether it carries one append or a hundred. So the best
 * that N committers can do is one write after another, each with the appends of all: N commits in every L + R, where R
 * is the time until all of them have queued their next append. A thread that sleeps makes R long. To wake it costs 5 us
 * of processor, and 50 to 80 us pass where its processor has gone idle. A thread that yields costs R nothing. It keeps
 * a processor awake, and it leaves the processor to any thread with work to do.
 *
 * <h2>The rules</h2>
 *
 * <ol>
 *   <li>One write at a time: appends that come meanwhile share the next.
 *   <li>A waiting thread knows when its write should end ({@link WriteTimes}). It sleeps until {@value #SLACK_NANOS} ns
 *       before that, and yields from then on. If the write is late, it sleeps until it is woken.
 *   <li>The thread that begins a write first lets the cohort come back: it yields until as many callers have queued an
 *       append as the last batch had, for {@value #COHORT_NANOS} ns at most. In a crowd the writer thread yields for
 *       the first of them before it parks.
 *   <li>The more committers, the fewer yields of each: {@value #YIELDS} for all waiting threads together, and
 *       {@value #COHORT_YIELDS} for the writer. From {@value #FULL_CROWD_A_PROCESSOR} committers for each processor on,
 *       a turn of all threads takes as long as a write. Then a waiting thread yields {@value #FIRST_YIELDS} times and
 *       sets no timer, and few look at the clock. The writer yields once, also if its cohort is there.
 *   <li>All this only while a yielded processor comes back soon ({@link YieldGauge}). Otherwise threads sleep at once,
 *       no writer waits for a cohort, and few committers write side by side: they would seldom share a write.
 * </ol>
 *
 * <p>Only appends that a caller wants on disk soon count as committers. Deferred ones, such as the copies that the
 * housekeeper makes, do not come back.
 *
 * <p>Every loop here ends after a number of yields, also while the clock stands still. docs/lab/engines.md has the
 * model with its figures, and the other ways that were tried.
 */
final class CommitWaits {
    /** How long before the expected end a sleeping thread comes back: the timer's slack, and an idle processor's. */
    static final long SLACK_NANOS = 100_000;

    /** A shorter sleep costs more than it saves. */
    static final long LEAST_SLEEP_NANOS = 200_000;

    /** How long a thread yields after the expected end, at most. */
    static final long MOST_LATE_NANOS = 150_000;

    /** How long a writer yields for its cohort, at most. */
    static final long COHORT_NANOS = 30_000;

    /** Yields of all waiting threads together for a write. */
    static final int YIELDS = 1_024;

    /** Yields of a waiting thread in any case: with many committers a turn of all of them takes longer than a write. */
    static final int FIRST_YIELDS = 4;

    /** Yields of a writer with one committer; with more, fewer. */
    static final int COHORT_YIELDS = 128;

    /** From this many committers for each processor on, one turn of every thread takes as long as a write. */
    static final int FULL_CROWD_A_PROCESSOR = 16;

    /** In a full crowd only one waiting thread in this many looks at the clock: that is half a microsecond of nine. */
    static final int TIMED_ONE_IN = 16;

    /** The number of committers is forgotten by a part in this many with each batch. */
    private static final int MEMORY = 32;

    private final boolean alwaysSleep;
    private final NanoClock clock;
    private final int fullCrowd;
    private final WriteTimes times;
    private final YieldGauge gauge;
    private final Waiter sleeper = new Waiter();

    // Committers in the last batch, and about the most in the last batches. Written under the layout lock.
    private volatile int lastCommitters;
    private volatile int crowd = 1;

    /**
     * Waits on a machine.
     *
     * @param strategy whether threads yield at all
     * @param processors the number for which the committers compete
     * @param yield yields the processor
     */
    CommitWaits(WaitStrategy strategy, NanoClock clock, int processors, Runnable yield) {
        this.alwaysSleep = strategy == WaitStrategy.SLEEP;
        this.clock = clock;
        this.fullCrowd = FULL_CROWD_A_PROCESSOR * processors;
        this.times = new WriteTimes(clock.nanoTime());
        this.gauge = new YieldGauge(clock, yield);
    }

    /** Waits with the processors of this machine. */
    static CommitWaits ofThisMachine(WaitStrategy strategy, NanoClock clock) {
        return new CommitWaits(
                strategy, clock, Runtime.getRuntime().availableProcessors(), CommitWaits::yieldProcessor);
    }

    private static void yieldProcessor() {
        Thread.yield();
    }

    /** Whether a thread that yields would not get the processor back soon, so that threads sleep at once. */
    boolean isBusy() {
        return alwaysSleep || gauge.isBusy();
    }

    /** A batch with this many appends of committers was laid out; 0 if there was none. Under the layout lock. */
    void taken(int committers) {
        lastCommitters = committers;
        int most = crowd;
        crowd = Math.max(1, Math.max(committers, most - (most + MEMORY - 1) / MEMORY));
    }

    /** A write begins. */
    void begun(long now) {
        times.begun(now);
    }

    /** A write is on disk. Under the layout lock. */
    void landed(long nanos, long now) {
        times.took(nanos);
        gauge.look(now);
    }

    /**
     * Lets the committers of the last batch queue their next append, for a short time, before a write begins. Takes no
     * memory.
     *
     * @param queued how many appends of committers are queued
     */
    void awaitCohort(IntSupplier queued) {
        if (!alwaysSleep) {
            // Callers that come now are in this write, and should go by its end, not by that of the one after it.
            begun(clock.nanoTime() + COHORT_NANOS);
        }
        yieldUntil(queued, crowd < fullCrowd ? lastCommitters : Integer.MAX_VALUE);
    }

    /** Lets the first committer of the last batch queue its next append, for a short time. Takes no memory. */
    void awaitFirst(IntSupplier queued) {
        yieldUntil(queued, Math.min(lastCommitters, 1));
    }

    private void yieldUntil(IntSupplier queued, int wanted) {
        if (alwaysSleep) {
            return;
        }
        boolean isThere = queued.getAsInt() >= wanted;
        if (isThere && !gauge.isBusy()) {
            return;
        }
        long begun = clock.nanoTime();
        // Where the processors are busy, a waiting thread should be the one that tries whether they still are, because
        // no other thread waits for it. The writer tries only where none does.
        if (!gauge.pays(begun - YieldGauge.REST_NANOS) || isThere) {
            return;
        }
        long now = begun;
        int committing = crowd;
        int yields = committing < fullCrowd ? Math.max(1, COHORT_YIELDS / committing) : 1;
        long quick = 0;
        gauge.begin(1);
        try {
            while (yields > 0 && now - begun < COHORT_NANOS && queued.getAsInt() < wanted) {
                quick += gauge.yieldOnce(now, 1);
                now = clock.nanoTime();
                yields--;
            }
        } finally {
            gauge.end(quick, 1);
        }
    }

    /**
     * The wait of the calling thread for an append that it has just queued. It sleeps at once if there is no memory for
     * more.
     *
     * @param depth how many committers had queued an append then, with this one
     */
    Waiter newWaiter(int depth) {
        if (alwaysSleep) {
            return sleeper;
        }
        int committing = crowd;
        try {
            if (committing < fullCrowd) {
                return new Waiter(YIELDS / committing, 1);
            }
            return new Waiter(0, depth % TIMED_ONE_IN == 0 ? TIMED_ONE_IN : 0);
        } catch (OutOfMemoryError noMemory) {
            return sleeper;
        }
    }

    /** The wait of any thread that sleeps at once. It has no state, so threads share it. */
    Waiter sleeper() {
        return sleeper;
    }

    /** How one thread waits for one append. Belongs to that thread, unless it sleeps at once. */
    final class Waiter {
        /** Sleep until a writer wakes this thread. */
        static final long UNTIL_WOKEN = Long.MAX_VALUE;

        private final int standsFor; // how many threads the times of this one count for; 0 if it looks at no clock
        private final long queuedAt;
        private int firstYields = FIRST_YIELDS;
        private int yields;
        private long quickNanos;
        private boolean yielding;
        private boolean hasSlept;
        private boolean isOver;

        private Waiter() {
            this.standsFor = 0;
            this.queuedAt = 0;
            this.isOver = true;
        }

        private Waiter(int yields, int standsFor) {
            this.yields = yields;
            this.standsFor = standsFor;
            this.queuedAt = standsFor > 0 ? clock.nanoTime() : 0;
            this.hasSlept = standsFor != 1; // a timer in a full crowd costs more than it saves
        }

        /** Yields once and returns 0, or returns how long to sleep at most, nanoseconds. */
        long yieldOrSleep() {
            if (isOver) {
                return UNTIL_WOKEN;
            }
            return standsFor > 0 ? yieldOrSleepByTheClock() : yieldOrSleepUntimed();
        }

        private long yieldOrSleepUntimed() {
            if (firstYields == 0 || gauge.isBusy()) {
                return over();
            }
            firstYields--;
            gauge.yieldUntimed();
            return 0;
        }

        private long yieldOrSleepByTheClock() {
            long now = clock.nanoTime();
            if (!gauge.pays(now)) {
                return over();
            }
            long left = times.expectedEnd(queuedAt) - now;
            if (!hasSlept && left > SLACK_NANOS + LEAST_SLEEP_NANOS) {
                hasSlept = true;
                pause();
                return left - SLACK_NANOS;
            }
            if (!mayYield(left)) {
                return over();
            }
            if (!yielding) {
                gauge.begin(standsFor);
                yielding = true;
            }
            quickNanos += gauge.yieldOnce(now, standsFor);
            return 0;
        }

        private boolean mayYield(long left) {
            if (firstYields > 0) {
                firstYields--;
                return true;
            }
            return yields-- > 0 && left > -Math.min(times.usualNanos(), MOST_LATE_NANOS);
        }

        private long over() {
            isOver = true;
            pause();
            return UNTIL_WOKEN;
        }

        /** This thread does something else than yield: it sleeps, writes, or waits no more. May be called again. */
        void pause() {
            if (yielding) {
                yielding = false;
                gauge.end(quickNanos, standsFor);
                quickNanos = 0;
            }
        }
    }
}

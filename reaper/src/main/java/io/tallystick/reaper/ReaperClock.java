package io.tallystick.reaper;

import java.util.concurrent.locks.LockSupport;

/**
 * The reaper's time: monotonic, and the only thing it waits with. Wall-clock time plays no part.
 *
 * <p>A clock for tests moves when it is told to. The reaper gives a transaction its deadline at the first look after
 * {@link TransactionReaper#register}. That look comes at most {@code precision / 2} later. So a test moves its clock
 * in steps of at most {@code precision / 2}: with a precision of 100 ms, in steps of 50 ms.
 */
public interface ReaperClock {
    /** Nanoseconds since an arbitrary instant; never goes back. Compare by subtraction. */
    long nanoTime();

    /**
     * Waits until {@link #nanoTime} has reached {@code nanoTime}. Returns early after
     * {@link LockSupport#unpark(Thread)} for this thread, when the thread is interrupted, or for no reason.
     */
    void parkUntil(long nanoTime);

    /** The clock of this JVM. */
    static ReaperClock system() {
        return SystemReaperClock.INSTANCE;
    }
}

package io.tallystick.store.spi;

import java.util.concurrent.locks.LockSupport;

/** Waits that an interrupt does not end. The thread that waits finds its flag set afterwards. */
public final class UninterruptedWait {
    private UninterruptedWait() {}

    /** The condition that a parked thread waits for. A thread that makes it true unparks the thread that waits. */
    @FunctionalInterface
    public interface Condition {
        /** Whether it is true. */
        boolean isMet();
    }

    /** A call that an interrupt ends, and that can be made again. */
    @FunctionalInterface
    public interface Step {
        /** Waits, or throws early. */
        void run() throws InterruptedException;
    }

    /** Parks until the condition is met. Allocates nothing: a thread waits here when there may be no memory. */
    public static void until(Condition condition) {
        boolean interrupted = false;
        while (!condition.isMet()) {
            LockSupport.park(condition);
            interrupted |= Thread.interrupted();
        }
        restore(interrupted);
    }

    /**
     * Waits until the thread has ended. Returns at once for a thread that was never started, and for the calling
     * thread. Allocates nothing.
     */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive() && thread != Thread.currentThread()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        restore(interrupted);
    }

    /** Makes the call until it returns. */
    public static void through(Step step) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    step.run();
                    return;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

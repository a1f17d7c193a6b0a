package io.tallystick.store.file;

import java.util.concurrent.locks.LockSupport;

/** Waits that an interrupt does not end. The thread that waits finds its flag set afterwards. */
final class UninterruptedWait {
    private UninterruptedWait() {}

    /** The condition that a parked thread waits for. A thread that makes it true unparks the thread that waits. */
    @FunctionalInterface
    interface Condition {
        /** Whether it is true. */
        boolean isMet();
    }

    /** A call that an interrupt ends, and that can be made again. */
    @FunctionalInterface
    interface Step {
        /** Waits, or throws early. */
        void run() throws InterruptedException;
    }

    /** Parks until the condition is met. Allocates nothing: a thread waits here when there may be no memory. */
    static void until(Condition condition) {
        boolean interrupted = false;
        while (!condition.isMet()) {
            LockSupport.park(condition);
            interrupted |= Thread.interrupted();
        }
        restore(interrupted);
    }

    /** Makes the call until it returns. */
    static void through(Step step) {
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

package io.tallystick.testkit.schedule;

/** Replaces {@link java.util.concurrent.locks.LockSupport} under a schedule. */
public final class LockSupport {
    private LockSupport() {}

    /** Waits until it is unparked. */
    public static void park(Object blocker) {
        Schedule.park(Long.MAX_VALUE);
    }

    /** Waits until it is unparked or the time is up. */
    public static void parkNanos(Object blocker, long nanos) {
        Schedule.park(nanos);
    }

    /** Lets the thread go on; if it does not park now, its next park returns at once. */
    public static void unpark(Thread thread) {
        Schedule.unpark(thread);
    }

    /** Waits until it is unparked. */
    public static void park() {
        Schedule.park(Long.MAX_VALUE);
    }

    /** Waits until it is unparked or the time is up. */
    public static void parkNanos(long nanos) {
        Schedule.park(nanos);
    }
}

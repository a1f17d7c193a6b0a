package io.tallystick.testkit.schedule;

/** Replaces the monitor of an object under a schedule: {@code synchronized}, {@code wait} and {@code notify}. */
public final class Monitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition condition = lock.newCondition();

    Monitor() {}

    /** Replaces the beginning of a synchronized block. */
    public static void enter(Object object) {
        Monitor monitor = Schedule.monitorOf(object);
        if (monitor != null) {
            monitor.lock.lock();
        }
    }

    /** Replaces the end of a synchronized block. */
    public static void exit(Object object) {
        Monitor monitor = Schedule.monitorOf(object);
        if (monitor != null) {
            monitor.lock.unlock();
        }
    }

    /**
     * Replaces {@link Object#wait()}; declares the exception because the code under test catches it, and never throws
     * it.
     */
    public static void wait(Object object) throws InterruptedException {
        Schedule.monitorOf(object).condition.awaitUninterruptibly();
    }

    /** Replaces {@link Object#notify()}. */
    public static void notify(Object object) {
        Schedule.monitorOf(object).condition.signal();
    }

    /** Replaces {@link Object#notifyAll()}. */
    public static void notifyAll(Object object) {
        Schedule.monitorOf(object).condition.signalAll();
    }
}

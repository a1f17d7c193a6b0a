package io.tallystick.testkit.schedule;

import java.util.concurrent.TimeUnit;

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

    /** Replaces {@link Object#wait(long)}, as {@link #wait(Object)} does; zero waits for ever. */
    public static void wait(Object object, long millis) throws InterruptedException {
        long nanos = millis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
        Schedule.monitorOf(object).condition.awaitUninterruptibly(nanos);
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

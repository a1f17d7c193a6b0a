package io.tallystick.testkit.schedule;

/** Takes the place of the monitor of an object: {@code synchronized}, {@code wait} and {@code notify}. */
public final class Monitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition condition = lock.newCondition();

    Monitor() {}

    /** In the place of the beginning of a synchronized block. */
    public static void enter(Object object) {
        Monitor monitor = Schedule.monitorOf(object);
        if (monitor != null) {
            monitor.lock.lock();
        }
    }

    /** In the place of the end of a synchronized block. */
    public static void exit(Object object) {
        Monitor monitor = Schedule.monitorOf(object);
        if (monitor != null) {
            monitor.lock.unlock();
        }
    }

    /** In the place of {@link Object#wait()}; never interrupted, but the code under test expects it. */
    public static void wait(Object object) throws InterruptedException {
        Schedule.monitorOf(object).condition.awaitUninterruptibly();
    }

    /** In the place of {@link Object#notify()}. */
    public static void notify(Object object) {
        Schedule.monitorOf(object).condition.signal();
    }

    /** In the place of {@link Object#notifyAll()}. */
    public static void notifyAll(Object object) {
        Schedule.monitorOf(object).condition.signalAll();
    }
}

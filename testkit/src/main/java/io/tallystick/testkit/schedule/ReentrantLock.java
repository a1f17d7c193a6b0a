package io.tallystick.testkit.schedule;

/** Takes the place of its namesake; without conditions. */
public final class ReentrantLock {
    private Thread owner;
    private int holds;

    /** Free. */
    public ReentrantLock() {}

    /** Takes it, once more if this thread has it. */
    public void lock() {
        Schedule.point();
        if (owner != Thread.currentThread()) {
            if (owner != null) {
                Schedule.await(() -> owner == null);
            }
            owner = Thread.currentThread();
        }
        holds++;
    }

    /** Gives it back. */
    public void unlock() {
        if (owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException("not the owner");
        }
        if (--holds == 0) {
            owner = null;
            Schedule.point();
        }
    }

    /** Whether this thread has it. */
    public boolean isHeldByCurrentThread() {
        return owner == Thread.currentThread();
    }
}

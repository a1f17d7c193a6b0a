package io.tallystick.testkit.schedule;

/** Takes the place of its namesake. */
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

    /** Takes it if it is free, or this thread has it. */
    public boolean tryLock() {
        Schedule.point();
        if (owner != null && owner != Thread.currentThread()) {
            return false;
        }
        owner = Thread.currentThread();
        holds++;
        return true;
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

    /** A condition of this lock. */
    public Condition newCondition() {
        return new Condition(this);
    }

    /** Gives it back however often it was taken, and answers how often that was. */
    int release() {
        int held = holds;
        holds = 1;
        unlock();
        return held;
    }

    /** Takes it as often. */
    void takeAgain(int held) {
        lock();
        holds = held;
    }

    /** Whether this thread has it. */
    public boolean isHeldByCurrentThread() {
        return owner == Thread.currentThread();
    }
}

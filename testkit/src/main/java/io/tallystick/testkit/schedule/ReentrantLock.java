package io.tallystick.testkit.schedule;

/** Replaces {@link java.util.concurrent.locks.ReentrantLock} under a schedule. */
public final class ReentrantLock {
    private Thread owner;
    private int holds;

    /** A lock that no thread holds. */
    public ReentrantLock() {}

    /** Takes the lock, once more if this thread holds it. */
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

    /** Takes the lock if it is free or this thread holds it. */
    public boolean tryLock() {
        Schedule.point();
        if (owner != null && owner != Thread.currentThread()) {
            return false;
        }
        owner = Thread.currentThread();
        holds++;
        return true;
    }

    /** Gives the lock back once. */
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

    /** Gives the lock back as often as it was taken, and answers how often. */
    int release() {
        int held = holds;
        holds = 1;
        unlock();
        return held;
    }

    /** Takes the lock this many times. */
    void takeAgain(int held) {
        lock();
        holds = held;
    }

    /** Whether this thread holds the lock. */
    public boolean isHeldByCurrentThread() {
        return owner == Thread.currentThread();
    }
}

package io.tallystick.testkit.schedule;

import java.util.ArrayDeque;

/**
 * Replaces {@link java.util.concurrent.locks.Condition} under a schedule. Only a signal or the given time ends a wait.
 */
public final class Condition {
    private final ReentrantLock lock;
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();

    Condition(ReentrantLock lock) {
        this.lock = lock;
    }

    private static final class Waiter {
        private boolean isSignalled;
    }

    /** Gives the lock back, waits for a signal, and takes the lock again. */
    public void awaitUninterruptibly() {
        awaitUninterruptibly(Long.MAX_VALUE);
    }

    /** As {@link #awaitUninterruptibly()}, but returns without a signal when this much time has passed. */
    void awaitUninterruptibly(long nanos) {
        Waiter me = new Waiter();
        waiters.add(me);
        int held = lock.release();
        Schedule.await(() -> me.isSignalled, nanos);
        waiters.remove(me); // a signal has removed it already
        lock.takeAgain(held);
    }

    /** Ends the wait of the thread that waits longest. */
    public void signal() {
        checkOwner();
        Waiter first = waiters.poll();
        if (first != null) {
            first.isSignalled = true;
        }
    }

    /** Ends the wait of all threads. */
    public void signalAll() {
        checkOwner();
        waiters.forEach(waiter -> waiter.isSignalled = true);
        waiters.clear();
    }

    private void checkOwner() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("not the owner");
        }
    }
}

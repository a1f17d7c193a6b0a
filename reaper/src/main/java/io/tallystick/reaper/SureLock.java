package io.tallystick.reaper;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is taken also when there is no memory. {@link ReentrantLock#lock} allocates where it has to wait, and may
 * throw an {@link OutOfMemoryError} on JDK 17. A thread that has to correct the books must not be stopped by that.
 */
final class SureLock {
    private final ReentrantLock lock = new ReentrantLock();

    // Public, because .ci/strict has this class extend ReentrantLock: its check knows no other locks.
    public void lock() {
        try {
            lock.lock();
        } catch (OutOfMemoryError noMemory) {
            while (!lock.tryLock()) {
                Thread.yield();
            }
        }
    }

    public void unlock() {
        lock.unlock();
    }
}

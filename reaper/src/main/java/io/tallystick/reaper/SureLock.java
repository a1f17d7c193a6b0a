package io.tallystick.reaper;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is taken also when there is no memory. {@link ReentrantLock#lock} allocates where it has to wait, and may
 * throw an {@link OutOfMemoryError} on JDK 17. A thread that has to correct the books must not be stopped by that.
 */
final class SureLock extends ReentrantLock {
    private static final long serialVersionUID = 1;

    @Override
    public void lock() {
        try {
            super.lock();
        } catch (OutOfMemoryError noMemory) {
            while (!super.tryLock()) {
                Thread.yield();
            }
        }
    }
}

package io.tallystick.store.spi;

import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Threads that have announced their end, and still exist for some microseconds. The announcement takes no memory if
 * {@link #makeRoom} was called before.
 */
final class EndingThreads {
    private final long patienceNanos;
    // Guarded by this object.
    private final ArrayList<Thread> threads = new ArrayList<>();

    EndingThreads(int patienceMillis) {
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    }

    /** Takes the memory for this many threads that will announce their end. Forgets threads that exist no longer. */
    synchronized void makeRoom(int more) {
        forgetEnded();
        threads.ensureCapacity(threads.size() + more);
    }

    /** The current thread calls this as its last act. Only work of the platform may follow. */
    synchronized void add() {
        threads.add(Thread.currentThread());
    }

    /**
     * Waits until the threads exist no longer, or a time is over. After an error a thread runs a handler of uncaught
     * exceptions, which may do anything, and may call this.
     */
    void await() {
        long begun = System.nanoTime();
        while (hasOthers() && System.nanoTime() - begun < patienceNanos) {
            Thread.yield();
        }
    }

    private synchronized boolean hasOthers() {
        forgetEnded();
        return !(threads.isEmpty() || threads.size() == 1 && threads.get(0) == Thread.currentThread());
    }

    private void forgetEnded() {
        for (int i = threads.size() - 1; i >= 0; i--) {
            if (!threads.get(i).isAlive()) {
                threads.remove(i);
            }
        }
    }
}

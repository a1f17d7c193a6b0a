package io.tallystick.reaper;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Time that stands still until a test moves it, and knows who waits for it. */
final class ManualClock implements ReaperClock {
    /** Not zero, and negative, as {@link System#nanoTime} may be. */
    private long nowNanos = -5_000_000_000L;

    private final Map<Thread, Long> parked = new HashMap<>();

    @Override
    public synchronized long nanoTime() {
        return nowNanos;
    }

    @Override
    public void parkUntil(long nanoTime) {
        Thread me = Thread.currentThread();
        synchronized (this) {
            if (nowNanos - nanoTime >= 0) {
                return;
            }
            parked.put(me, nanoTime);
        }
        LockSupport.park(this);
        synchronized (this) {
            parked.remove(me);
        }
    }

    /** Moves time and wakes the threads that waited for that. */
    synchronized void advance(Duration by) {
        nowNanos += by.toNanos();
        parked.entrySet().removeIf(entry -> {
            boolean isDue = nowNanos - entry.getValue() >= 0;
            if (isDue) {
                LockSupport.unpark(entry.getKey());
            }
            return isDue;
        });
    }

    /** Whether this thread waits for a time that has not come. */
    synchronized boolean isParked(Thread thread) {
        return parked.containsKey(thread);
    }
}

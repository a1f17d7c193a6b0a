package io.tallystick.reaper;

import java.util.concurrent.locks.LockSupport;

/** {@link System#nanoTime} and {@link LockSupport}. */
enum SystemReaperClock implements ReaperClock {
    INSTANCE;

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void parkUntil(long nanoTime) {
        LockSupport.parkNanos(this, nanoTime - System.nanoTime());
    }
}

package io.tallystick.store.spi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that looks once in a tick while there is work to watch, and sleeps after {@value #TICKS_BEFORE_SLEEP} looks
 * in vain. It never runs foreign code.
 */
final class StageWatcher {
    static final int TICKS_BEFORE_SLEEP = 100;

    private final String name;
    private final long tickNanos;
    private final Watched watched;
    private volatile Thread thread;
    private volatile boolean sleeps;
    private volatile boolean ended;

    /** The watched work. Called on the watcher, without locks. */
    interface Watched {
        /** Looks at the work; true if there was any. */
        boolean look();

        /**
         * Whether there is still no work. A thread that brings work does so before it calls {@link #wake}: so one of
         * the two sees the other.
         */
        boolean maySleep();

        /** The watcher does nothing more after this. */
        void over();
    }

    StageWatcher(String name, long tickMillis, Watched watched) {
        this.name = name;
        this.tickNanos = TimeUnit.MILLISECONDS.toNanos(tickMillis);
        this.watched = watched;
    }

    boolean isStarted() {
        return thread != null;
    }

    /** To be called once. */
    void start() {
        Thread started = StoreThread.of(this::watch, name);
        started.start();
        thread = started;
    }

    /** Has it look again soon. Never waits; called with any locks. */
    void wake() {
        if (sleeps) {
            sleeps = false;
            LockSupport.unpark(thread);
        }
    }

    /** Has it end soon. Does not wait. */
    void end() {
        ended = true;
        LockSupport.unpark(thread);
    }

    private void watch() {
        while (!ended) {
            try {
                watchUntilEnded();
            } catch (Throwable noMemory) { // only this thread looks after stages behind a blocked one
                Thread.onSpinWait();
            }
        }
        watched.over();
    }

    private void watchUntilEnded() {
        int quietTicks = 0;
        while (!ended) {
            if (quietTicks < TICKS_BEFORE_SLEEP) {
                tick();
                quietTicks++;
            } else {
                sleep();
                quietTicks = 0;
            }
            if (watched.look()) {
                quietTicks = 0;
            }
        }
    }

    private void tick() {
        long begun = System.nanoTime();
        long left = tickNanos;
        while (left > 0 && !ended) {
            LockSupport.parkNanos(this, left);
            left = tickNanos - (System.nanoTime() - begun);
        }
    }

    private void sleep() {
        sleeps = true;
        while (sleeps && !ended && watched.maySleep()) {
            LockSupport.park(this);
        }
        sleeps = false;
    }
}

package io.tallystick.store.file;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of the store that leads rounds in place of virtual threads. The first virtual thread that would lead one
 * starts it.
 */
final class RoundThread {
    private final Runnable round;

    // Written under the monitor, which is held to start and to end only.
    private volatile @Nullable Thread thread;
    private volatile boolean isEnded;

    private volatile boolean isSummoned;

    /** @param round leads one round, and wakes its callers whatever it throws */
    RoundThread(Runnable round) {
        this.round = round;
    }

    /**
     * Has the thread lead a round, for a caller that has the lead; there is one such caller at a time. Throws nothing.
     *
     * @return false if there is no thread and none can be started: the caller still has the lead
     */
    boolean summon() {
        isSummoned = true;
        try {
            if (thread == null) {
                start();
            }
            LockSupport.unpark(thread);
        } catch (Throwable noThread) {
            isSummoned = false;
            return false;
        }
        return thread != null;
    }

    private synchronized void start() {
        if (thread == null && !isEnded) {
            Thread started = StoreThread.of(this::run, "tallystick-file-rounds");
            started.start();
            thread = started;
        }
    }

    private void run() {
        while (true) {
            while (!isSummoned && !isEnded) {
                LockSupport.park(this);
                Thread.interrupted(); // a set flag would end the next wait at once
            }
            if (!isSummoned) {
                return;
            }
            isSummoned = false;
            try {
                round.run();
            } catch (Throwable failed) {
                // The store has failed, and each caller finds the outcome of its change.
            }
        }
    }

    /** Ends the thread and waits for its end. No caller may wait for a round. */
    void end() {
        Thread running;
        synchronized (this) {
            isEnded = true;
            running = thread;
        }
        if (running != null) {
            LockSupport.unpark(running);
            UninterruptedWait.join(running);
        }
    }
}

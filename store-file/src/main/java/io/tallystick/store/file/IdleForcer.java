package io.tallystick.store.file;

import io.tallystick.store.StoreException;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread of the store that brings deferred changes to disk when no caller does. The first deferred operation starts
 * it, and it sleeps while all changes are on disk.
 */
final class IdleForcer {
    /** A deferred change is on disk after once or twice this time. */
    static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SyncRounds rounds;
    private final FailStop failStop;
    private final ThreadFactory threads = task -> StoreThread.of(task, "tallystick-file-idle");

    // Written under the monitor, which is held to start and to stop only.
    private volatile @Nullable Thread thread;
    private volatile boolean isStopped;

    private volatile boolean isAsleep;

    IdleForcer(SyncRounds rounds, FailStop failStop) {
        this.rounds = rounds;
        this.failStop = failStop;
    }

    /**
     * Notes that a change was deferred. Throws nothing: the change was accepted, and if the store fails here, later
     * callers get the error.
     */
    void wake() {
        if (thread == null) {
            startOrForce();
        } else if (isAsleep) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends the thread and waits for its end. */
    void stop() {
        Thread running;
        synchronized (this) {
            isStopped = true;
            running = thread;
        }
        if (running == null) {
            return;
        }
        LockSupport.unpark(running);
        UninterruptedWait.join(running);
    }

    private void startOrForce() {
        try {
            start();
        } catch (Throwable noThread) {
            forceNow();
        }
    }

    /** Without the thread, this caller brings the deferred changes to disk now. */
    private void forceNow() {
        try {
            rounds.force();
        } catch (StoreException | Error failed) {
            // The store has failed, or the next change forces this one as well.
        }
    }

    private synchronized void start() {
        if (thread == null && !isStopped) {
            Thread started = threads.newThread(this::run);
            started.start();
            thread = started;
        }
    }

    private void run() {
        try {
            while (!isStopped) {
                sleepUntilSomethingIsDeferred();
                forceWhatIsLeft();
            }
        } catch (Throwable failed) {
            // If the store has failed before, this changes nothing.
            failStop.fail("deferred changes could not be brought to disk", failed);
        }
    }

    private void sleepUntilSomethingIsDeferred() {
        isAsleep = true;
        while (rounds.isClean() && !isStopped) {
            LockSupport.park(this);
            Thread.interrupted(); // a set flag would end the next wait at once
        }
        isAsleep = false;
    }

    /** Waits a while, and forces unless a round has begun by then: a round takes all that was deferred before it. */
    private void forceWhatIsLeft() {
        long begunBefore = rounds.begun();
        LockSupport.parkNanos(this, PERIOD_NANOS);
        Thread.interrupted();
        if (!isStopped && rounds.begun() == begunBefore && !rounds.isClean()) {
            rounds.force();
        }
    }
}

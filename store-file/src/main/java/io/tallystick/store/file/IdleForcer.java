package io.tallystick.store.file;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread of the store that brings to disk what was deferred when nobody else does. It is started by the first deferred
 * operation and sleeps while there is nothing to do.
 */
final class IdleForcer {
    /** What is deferred stays so for this time, or twice this time at most. */
    static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SyncRounds rounds;
    private final FailStop failStop;

    // Written under the monitor, which is held to start and to stop only.
    private volatile Thread thread;
    private volatile boolean isStopped;

    private volatile boolean isAsleep;

    IdleForcer(SyncRounds rounds, FailStop failStop) {
        this.rounds = rounds;
        this.failStop = failStop;
    }

    /** Something was deferred. */
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
        boolean interrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void startOrForce() {
        try {
            start();
        } catch (OutOfMemoryError noThread) {
            // What nobody will bring to disk later is brought there now.
            rounds.force();
        }
    }

    private synchronized void start() {
        if (thread == null && !isStopped) {
            Thread started = new Thread(this::run, "tallystick-file-idle");
            started.setDaemon(true);
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
            // Of a store that has failed already this says nothing new, and else it is the first to notice.
            failStop.fail("what was deferred could not be brought to disk", failed);
        }
    }

    private void sleepUntilSomethingIsDeferred() {
        isAsleep = true;
        while (rounds.isClean() && !isStopped) {
            LockSupport.park(this);
            Thread.interrupted(); // nobody's business; left set, it would make the next wait return at once
        }
        isAsleep = false;
    }

    /** Waits a while, and forces unless a round has begun by then, which takes with it all that was there. */
    private void forceWhatIsLeft() {
        long begunBefore = rounds.begun();
        LockSupport.parkNanos(this, PERIOD_NANOS);
        Thread.interrupted();
        if (!isStopped && rounds.begun() == begunBefore && !rounds.isClean()) {
            rounds.force();
        }
    }
}

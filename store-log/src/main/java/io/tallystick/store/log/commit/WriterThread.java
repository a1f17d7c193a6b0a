package io.tallystick.store.log.commit;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Writes while there is urgent work, and looks after the deferred appends if it is the first. */
final class WriterThread extends StoreThread {
    private static final long IDLE_TICK_NANOS = GroupCommit.IDLE_TICK_MILLIS * 1_000_000L;
    private static final int IDLE_TICKS_BEFORE_SLEEP = 20;
    private static final long RETRY_NANOS = 1_000_000;

    private static final int RUNNING = 0;
    private static final int PARKED = 1;
    private static final int SLEEPING = 2;

    private final GroupCommit commits;
    private final boolean looksAfterDeferred;
    private final AtomicInteger rest = new AtomicInteger(RUNNING);
    private volatile boolean ended;
    // Of this thread.
    private long landedSeen;

    WriterThread(Making making, GroupCommit commits, String logName, int index) {
        super(making, "tallystick-" + logName + "-writer-" + index);
        this.commits = commits;
        this.looksAfterDeferred = index == 0;
    }

    /** Nobody but {@link #end} ends this thread. */
    @Override
    public void interrupt() {
        // an interrupt is none of its business
    }

    @Override
    public void run() {
        while (!ended) {
            try {
                work();
            } catch (Throwable thrown) { // without a writer callers would wait for ever, also after the failure
                failStop(thrown);
            }
        }
    }

    private void failStop(Throwable thrown) {
        try {
            commits.failStop(thrown);
        } catch (Throwable again) { // what is left to be refused is urgent work, and this thread tries again
            LockSupport.parkNanos(commits, RETRY_NANOS);
        }
    }

    private void work() {
        int idleTicks = 0;
        landedSeen = commits.landed();
        while (!ended) {
            if (commits.hasLeftBehind()) {
                commits.endLeftBehind();
            } else if (commits.hasUrgent() && commits.tryWrite(true)) {
                idleTicks = 0;
            } else if (looksAfterDeferred && idleTicks < IDLE_TICKS_BEFORE_SLEEP) {
                if (restFor(IDLE_TICK_NANOS)) {
                    idleTicks = look() ? 0 : idleTicks + 1;
                    if (idleTicks == GroupCommit.IDLE_TICKS_BEFORE_MARK) {
                        commits.tryMark();
                        landedSeen = commits.landed();
                    }
                }
            } else {
                restUntilRoused();
                idleTicks = 0;
            }
        }
    }

    /** Writes what was deferred; whether there was any, or a batch has landed since the last look. */
    private boolean look() {
        boolean hasWritten = commits.hasAny() && commits.tryWrite(false);
        long landed = commits.landed();
        boolean isIdle = !hasWritten && landed == landedSeen;
        landedSeen = landed;
        return !isIdle;
    }

    boolean rouse() {
        int now = rest.get();
        if (now != RUNNING && rest.compareAndSet(now, RUNNING)) {
            LockSupport.unpark(this);
            return true;
        }
        return false;
    }

    void rouseFromSleep() {
        if (rest.get() == SLEEPING && rest.compareAndSet(SLEEPING, RUNNING)) {
            LockSupport.unpark(this);
        }
    }

    void end() {
        ended = true;
        LockSupport.unpark(this);
        UninterruptedWait.join(this);
    }

    /** Rests for this long; false if another thread roused this one before. */
    private boolean restFor(long nanos) {
        rest.set(PARKED);
        long begun = System.nanoTime();
        long left = nanos;
        while (left > 0 && rest.get() == PARKED && !ended && !commits.mayWriteNow()) {
            LockSupport.parkNanos(commits, left);
            left = nanos - (System.nanoTime() - begun);
        }
        return rest.getAndSet(RUNNING) == PARKED && left <= 0;
    }

    private void restUntilRoused() {
        rest.set(looksAfterDeferred ? SLEEPING : PARKED);
        while (rest.get() != RUNNING && !ended && !commits.mayWriteNow() && !(looksAfterDeferred && hasToLook())) {
            LockSupport.park(commits);
        }
        rest.set(RUNNING);
    }

    private boolean hasToLook() {
        return commits.hasAny() || commits.landed() != landedSeen;
    }
}

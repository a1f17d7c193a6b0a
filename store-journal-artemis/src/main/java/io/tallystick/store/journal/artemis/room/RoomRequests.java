package io.tallystick.store.journal.artemis.room;

import io.tallystick.storage.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The requests of callers that wait for the housekeeper to make room or a spare file. Each request gets a ticket. The
 * housekeeper takes all requests at once and gives one answer to all tickets up to then.
 *
 * <p>Example: callers 1 and 2 ask for 1,000 and 3,000 bytes. The housekeeper takes both requests as "3,000 bytes,
 * tickets up to 2". Caller 3 asks meanwhile, gets ticket 3, and waits for the next answer.
 */
public final class RoomRequests {
    /** A caller waits this long for a file before the file counts as refused. A slow disk is not a failed one. */
    public static final long PATIENCE_SECONDS = 120;

    private final NanoClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // All guarded by the lock.
    private long ticketsTaken;
    private long ticketsDone;
    private long wantedBytes;
    private long wantedByRemovals;
    private Shortfall answer = Shortfall.NONE;

    /** No requests yet. The clock measures the patience of the callers. */
    public RoomRequests(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * The requests that the housekeeper has taken.
     *
     * @param lastTicket the newest of their tickets
     * @param wantedBytes the room that is enough for each of them, reserves included
     * @param wantedByRemovals the same for the removals among them
     */
    public record Taken(long lastTicket, long wantedBytes, long wantedByRemovals) {}

    /** Asks for a spare file; returns the ticket. */
    public long placeForSpareFile() {
        lock.lock();
        try {
            return ++ticketsTaken;
        } finally {
            lock.unlock();
        }
    }

    /** Asks that this much room is free, reserves included; returns the ticket. */
    public long placeForRoom(long bytes, boolean isRemoval) {
        lock.lock();
        try {
            wantedBytes = Math.max(wantedBytes, bytes);
            wantedByRemovals = isRemoval ? Math.max(wantedByRemovals, bytes) : wantedByRemovals;
            return ++ticketsTaken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the ticket is answered, or until the caller has already got what it needs. An interrupt does not
     * end the wait; the caller finds its flag set afterwards.
     */
    public Shortfall await(long ticket, BooleanSupplier isSatisfied) {
        boolean interrupted = false;
        long patience = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        long begun = clock.nanoTime();
        lock.lock();
        try {
            while (ticketsDone < ticket) {
                if (isSatisfied.getAsBoolean()) {
                    return Shortfall.NONE; // the answer may take long, because the housekeeper may wait for this caller
                }
                long left = patience - (clock.nanoTime() - begun);
                if (left <= 0) {
                    return Shortfall.ofRoom("no file was made within " + PATIENCE_SECONDS + " s");
                }
                try {
                    changed.awaitNanos(left);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            return answer;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes all requests that were placed since the last time. By the housekeeper only. */
    public Taken takeAll() {
        lock.lock();
        try {
            Taken taken = new Taken(ticketsTaken, wantedBytes, wantedByRemovals);
            wantedBytes = 0;
            wantedByRemovals = 0;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Answers all tickets up to this one, and wakes their callers. By the housekeeper only. */
    public void answer(long lastTicket, Shortfall newAnswer) {
        lock.lock();
        try {
            ticketsDone = lastTicket;
            answer = newAnswer;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets callers that wait look again whether they have got what they need. */
    public void wakeCallers() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Answers all tickets for good, also those to come: the journal is closed. */
    public void close() {
        lock.lock();
        try {
            ticketsDone = Long.MAX_VALUE;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

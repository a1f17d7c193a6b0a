package io.tallystick.store.journal.segment;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.journal.room.Room;
import io.tallystick.store.log.spi.Version;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reserves room for callers, and has them wait for the housekeeper where there is too little.
 *
 * <h2>The charge</h2>
 *
 * A record reserves room before it is queued:
 *
 * <pre>
 *   charge = 2 * padded(batch header + record)     a write or a removal
 *   charge = record                                a record that is carried along
 * </pre>
 *
 * Example: 700 bytes with blocks of 4 KiB reserve 8 KiB. One half pays for the place of the record, the other for the
 * end of a segment that it may waste. So a batch that is laid out always finds a spare. Carried records are laid out
 * side by side, so they are charged for their length alone.
 *
 * <h2>Tickets</h2>
 *
 * A caller that finds too little room takes a ticket and wakes the housekeeper. The housekeeper reads how many tickets
 * are taken, does its work, and then answers all of them: callers try again, or hear the refusal.
 */
final class RoomRequests {
    /** How often a removal asks for room before it gives up: other callers may have been quicker to take it. */
    private static final int REMOVAL_ATTEMPTS = 50;
    /** The pause between attempts of a thread that lacks memory and must not give up. */
    private static final long RETRY_NANOS = 1_000_000;

    private final ReentrantLock lock;
    private final Condition workArrived;
    private final Condition workDone;
    private final SegmentPlan plan;
    private final Room room;
    private final CurrentReserves reserves;
    private final SegmentRing ring;

    // All guarded by the lock.
    private long ticketsTaken;
    private long ticketsDone;
    private long wantedRoom;
    // Why the housekeeper could not do its last work; null if it could.
    private RoomRefusal refusal;
    private boolean closed;

    // Why the housekeeper has ended; set before the callers that wait are signalled.
    private volatile Throwable broken;

    /** @param lock the lock of the pool */
    RoomRequests(ReentrantLock lock, SegmentPlan plan, Room room, CurrentReserves reserves, SegmentRing ring) {
        this.lock = lock;
        this.workArrived = lock.newCondition();
        this.workDone = lock.newCondition();
        this.plan = plan;
        this.room = room;
        this.reserves = reserves;
        this.ring = ring;
    }

    /** How many bytes a record reserves. */
    long charge(Version append) {
        return append.isCarried()
                ? append.recordLength()
                : 2
                        * SegmentFormat.aligned(
                                SegmentFormat.BATCH_HEADER_BYTES + (long) append.recordLength(), plan.blockBytes());
    }

    /**
     * Takes room for a record, and waits for the housekeeper if need be. A record that is carried never waits.
     *
     * @throws StoreFullException the housekeeper has found none
     * @throws StoreIoException it has found none, and the disk fails when it makes a file
     */
    void reserve(Version append) {
        long charge = charge(append);
        if (append.isCarried()) {
            if (!room.tryTake(charge, reserves.whileCarrying())) {
                throw new RoomRefusal("there is too little room to carry records along", null)
                        .toException(plan.directory());
            }
            return;
        }
        boolean removal = append.isTombstone();
        if (!room.tryTake(charge, reserves.floor(removal, append.recordLength()))) {
            reserveWaiting(charge, removal, append.recordLength());
        }
        reserves.note(append.recordLength());
    }

    private void reserveWaiting(long charge, boolean removal, int recordLength) {
        lock.lock();
        try {
            for (int attempts = removal ? REMOVAL_ATTEMPTS : 1; ; attempts--) {
                long ticket = ++ticketsTaken;
                wantedRoom = Math.max(wantedRoom, charge + reserves.floor(removal, recordLength));
                workArrived.signal();
                while (ticketsDone < ticket && broken == null && !closed) {
                    workDone.awaitUninterruptibly();
                }
                if (broken != null || closed) {
                    room.take(charge); // the queue is sealed, and tells the caller why
                    return;
                }
                if (room.tryTake(charge, reserves.floor(removal, recordLength))) {
                    return;
                }
                if (refusal != null && attempts <= 1) {
                    throw refusal.toException(plan.directory());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the housekeeper: a spare was taken, or the housekeeper has just started. */
    void rouseHousekeeper() {
        lock.lock();
        try {
            workArrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets the housekeeper end and all callers go. That may need memory, so it is tried until there is some: a close
     * that gave up would leave the housekeeper at work.
     */
    void close() {
        while (!hasLetGo(true)) {
            LockSupport.parkNanos(this, RETRY_NANOS);
        }
    }

    /** On the housekeeper: waits until there is work. False if the store is being closed. */
    boolean awaitWork() {
        lock.lock();
        try {
            while (!closed && ticketsTaken == ticketsDone && (isStocked() || refusal != null)) {
                workArrived.awaitUninterruptibly();
                if (!isStocked()) {
                    return !closed;
                }
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean isStocked() {
        return ring.spares() >= HousekeepingSnapshot.SPARES;
    }

    /** On the housekeeper: the last ticket that its next work answers. */
    long lastTicket() {
        lock.lock();
        try {
            return ticketsTaken;
        } finally {
            lock.unlock();
        }
    }

    /** The numbers that the housekeeper decides on. */
    HousekeepingSnapshot snapshot() {
        lock.lock();
        try {
            return ring.snapshot(closed, wantedRoom);
        } finally {
            lock.unlock();
        }
    }

    /** On the housekeeper: answers all tickets up to this one. */
    void answer(long ticket, RoomRefusal refusalOrNull) {
        lock.lock();
        try {
            ticketsDone = ticket;
            refusal = refusalOrNull;
            if (ticketsDone == ticketsTaken) {
                wantedRoom = 0;
            }
            workDone.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * On the housekeeper, at its end. Lets all callers go; that may need memory, so it is tried until there is some.
     */
    void breakDown(Throwable trouble) {
        broken = trouble;
        while (!hasLetGo(false)) {
            LockSupport.parkNanos(this, RETRY_NANOS);
        }
    }

    private boolean hasLetGo(boolean isClosing) {
        try {
            lock.lock();
            try {
                closed |= isClosing;
                workArrived.signalAll();
                workDone.signalAll();
            } finally {
                lock.unlock();
            }
            return true;
        } catch (Throwable noMemory) { // it may come back
            return false;
        }
    }
}

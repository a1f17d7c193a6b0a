package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes changes of names durable, many at a time.
 *
 * <p>A <b>round</b> is led by one of the callers, on its own thread: it applies every change that is queued, in the order in
 * which they came, then forces each directory concerned, once, and then everybody whose change was queued when the round
 * began is done. Whoever comes while fewer than {@link #MAX_LEADERS} rounds are in progress leads one at once; the others
 * wait, and one of them leads the next. So the syncs in progress are the time in which the next batch gathers, and one
 * caller alone hands nothing over to anybody. Two rounds rather than one keep the disk busy while threads change places.
 *
 * <p>Names are changed by one thread at a time: a file system has one lock for each directory, and hundreds of threads that
 * fight for it do little else. This is also what gives rounds an order; nobody is released before the earlier rounds are
 * over too.
 *
 * <p>A deferred change is queued and left to the next round, so every round makes durable all that was deferred before it.
 *
 * <p>What is promised: when {@link #force} returns, the change was applied, and a force of its directory that began
 * afterwards has succeeded, and so for every change that was queued before it. After the first failure no change is applied
 * and no directory forced any more; a caller is told that nothing was changed only if no round will touch its change.
 */
final class SyncRounds {
    /** So many changes may be queued before the one who adds another applies them, lest the next round begin late. */
    static final int MAX_QUEUED = 256;

    /** So many rounds may be in progress at once. */
    static final int MAX_LEADERS = 2;

    private final Disk disk;
    private final NanoClock clock;
    private final FailStop failStop;
    private final StatisticsRecorder statistics;

    // Held for moments only; guards the next three.
    private final ReentrantLock lock = new ReentrantLock();
    private ArrayList<NameChange> queued = new ArrayList<>();
    private ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private int leaders;

    // Held while names are changed, by one thread at a time; taken before the other lock; guards the next three.
    private final ReentrantLock naming = new ReentrantLock();
    private ArrayList<NameChange> unforced = new ArrayList<>();
    private Round last = Round.over();
    private volatile long begun;

    // Changes that are queued or applied and not yet on disk.
    private final AtomicInteger outstanding = new AtomicInteger();
    private final AtomicInteger outstandingDeferred = new AtomicInteger();

    SyncRounds(Disk disk, NanoClock clock, FailStop failStop, StatisticsRecorder statistics) {
        this.disk = disk;
        this.clock = clock;
        this.failStop = failStop;
        this.statistics = statistics;
    }

    /**
     * Returns when the change is on disk.
     *
     * @throws StoreFullException nothing was changed, for want of room
     * @throws OutcomeUnknownException it may or may not be on disk
     * @throws io.tallystick.store.StoreFailedException nothing was changed, because of an earlier failure
     */
    void force(NameChange change) {
        await(change);
        refuseIfFull(change);
    }

    /**
     * Returns when every change that was deferred before is on disk.
     *
     * @throws OutcomeUnknownException some may not be
     * @throws io.tallystick.store.StoreFailedException some may not be, because of an earlier failure
     */
    void force() {
        if (outstanding.get() > 0) {
            await(null);
        } else {
            failStop.check();
        }
    }

    /**
     * Queues the change, for the next round or before.
     *
     * @throws OutcomeUnknownException a change that came before it failed
     * @throws io.tallystick.store.StoreFailedException nothing will be changed, because of an earlier failure
     */
    void defer(NameChange change) {
        if (enqueue(change) > MAX_QUEUED) {
            applyQueued(change);
        }
    }

    /** Lets go of what a failed store has not brought to disk; nobody else may be at it. */
    void abandon() {
        queued.forEach(NameChange::abandon);
        unforced.forEach(NameChange::abandon);
    }

    /** Whether all changes are on disk. */
    boolean isClean() {
        return outstanding.get() == 0;
    }

    /** How many deferred changes are not known to be on disk. */
    int outstandingDeferred() {
        return outstandingDeferred.get();
    }

    /** How many rounds have begun; what was queued before the last of them began is on disk or on its way there. */
    long begun() {
        return begun;
    }

    private int enqueue(NameChange change) {
        lock.lock();
        try {
            failStop.check();
            add(change);
            return queued.size();
        } finally {
            lock.unlock();
        }
    }

    private void add(NameChange change) {
        queued.add(change);
        outstanding.incrementAndGet();
        if (change.deferred) {
            outstandingDeferred.incrementAndGet();
        }
    }

    private void settled(NameChange change) {
        outstanding.decrementAndGet();
        if (change.deferred) {
            outstandingDeferred.decrementAndGet();
        }
    }

    private static void refuseIfFull(NameChange change) {
        if (change.refusal() != null) {
            throw change.refusal();
        }
    }

    private void applyQueued(NameChange mine) {
        ArrayList<NameChange> emptyQueue = new ArrayList<>();
        naming.lock();
        try {
            failStop.check();
            changeNames(emptyQueue);
        } catch (Throwable failed) {
            throw outcomeOf(mine);
        } finally {
            naming.unlock();
        }
    }

    /** What to tell the caller of a change whose store has failed. Called under the lock of names. */
    private StoreException outcomeOf(NameChange changeOrNull) {
        boolean untouched = changeOrNull != null && !changeOrNull.isBegun();
        return untouched ? failStop.refusal() : failStop.unknown();
    }

    /** Called under the lock of names. If it fails, the store has failed before anybody else gets that lock. */
    private void changeNames(ArrayList<NameChange> emptyQueue) throws IOException {
        ArrayList<NameChange> taken;
        lock.lock();
        try {
            taken = queued;
            queued = emptyQueue;
        } finally {
            lock.unlock();
        }
        try {
            for (NameChange change : taken) {
                change.prepare();
            }
            for (NameChange change : taken) {
                if (change.apply(disk)) {
                    unforced.add(change);
                } else {
                    settled(change);
                }
            }
        } catch (Throwable failed) {
            // Who took part in what was taken here leads the next round perhaps, and would find nothing left to do.
            failStop.fail("names of files could not be changed", failed);
            taken.forEach(NameChange::abandon);
            throw failed;
        }
    }

    private void await(NameChange changeOrNull) {
        Waiter me = new Waiter(changeOrNull);
        boolean lead;
        lock.lock();
        try {
            failStop.check();
            if (changeOrNull != null) {
                add(changeOrNull);
            }
            lead = leaders < MAX_LEADERS;
            if (lead) {
                leaders++;
            } else {
                waiting.add(me);
            }
        } finally {
            lock.unlock();
        }
        if (lead || me.awaitTurnToLead()) {
            lead(me);
        }
        me.rethrow();
    }

    /** One round, for the one who leads it and all who wait for it. */
    private void lead(Waiter leader) {
        ArrayDeque<Waiter> carried;
        lock.lock();
        try {
            carried = waiting;
            waiting = new ArrayDeque<>();
        } finally {
            lock.unlock();
        }
        carried.addFirst(leader);
        try {
            round();
        } catch (Throwable failed) {
            failStop.fail("names of files could not be made durable", failed);
            abandon(carried);
            return;
        }
        Waiter next;
        lock.lock();
        try {
            next = waiting.poll();
            if (next == null) {
                leaders--;
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.makeLeader();
        }
        carried.forEach(Waiter::done);
    }

    private void round() throws IOException {
        // Made before the first name is changed, so that nothing can fail between that and the next round.
        Round round = new Round();
        ArrayList<NameChange> emptyQueue = new ArrayList<>();
        ArrayList<NameChange> noneUnforced = new ArrayList<>();
        List<NameChange> changes;
        naming.lock();
        try {
            failStop.check();
            changeNames(emptyQueue);
            changes = unforced;
            unforced = noneUnforced;
            round.follow(last);
            last = round;
            begun++;
        } finally {
            naming.unlock();
        }
        try {
            forceDirectories(changes);
            round.awaitEarlierOnes();
            changes.forEach(NameChange::onDisk);
            changes.forEach(this::settled);
            round.succeeded();
        } catch (Throwable failed) {
            round.failed(failed);
            changes.forEach(NameChange::abandon);
            throw failed;
        }
    }

    private void forceDirectories(List<NameChange> changes) throws IOException {
        if (changes.isEmpty()) {
            return;
        }
        long started = clock.nanoTime();
        StoreEvents.Force force = statistics.events().beginForce();
        for (TypeDirectory directory : directoriesOf(changes)) {
            disk.forceDirectory(directory.path());
        }
        force.succeeded(changes.size(), 0);
        statistics.forcedBetween(changes.size(), started, clock.nanoTime());
    }

    private static Set<TypeDirectory> directoriesOf(List<NameChange> changes) {
        Set<TypeDirectory> directories = new LinkedHashSet<>();
        changes.forEach(change -> directories.add(change.directory));
        return directories;
    }

    /** The store has failed: tells everybody who waits, with or without a leader, and lets later ones find out at once. */
    private void abandon(ArrayDeque<Waiter> carried) {
        ArrayDeque<Waiter> later;
        lock.lock();
        try {
            later = waiting;
            waiting = new ArrayDeque<>();
            leaders--;
        } finally {
            lock.unlock();
        }
        // Another round may be changing names still, theirs among them; after this lock none begins.
        naming.lock();
        try {
            carried.forEach(waiter -> waiter.failed(outcomeOf(waiter.changeOrNull)));
            later.forEach(waiter -> waiter.failed(outcomeOf(waiter.changeOrNull)));
        } finally {
            naming.unlock();
        }
    }

    /** A round in progress, known to the next one. */
    private static final class Round {
        private final CompletableFuture<Void> over = new CompletableFuture<>();
        private Round earlier;

        /** One that is over, for the first one to come after. */
        static Round over() {
            Round round = new Round();
            round.succeeded();
            return round;
        }

        void follow(Round before) {
            earlier = before;
        }

        /** Waits until the rounds before are over. Fails if one of them did. */
        void awaitEarlierOnes() {
            earlier.over.join();
            earlier = null;
        }

        void succeeded() {
            over.complete(null);
        }

        void failed(Throwable cause) {
            over.completeExceptionally(cause);
        }
    }

    /** One caller that waits for a round. */
    private static final class Waiter {
        private enum State {
            WAITING,
            LEADER,
            DONE
        }

        private final Thread thread = Thread.currentThread();
        private final NameChange changeOrNull;
        private StoreException failure;
        private volatile State state = State.WAITING;

        Waiter(NameChange changeOrNull) {
            this.changeOrNull = changeOrNull;
        }

        /** Waits until somebody else's round has carried this one, or it is this one's turn to lead: then true. */
        boolean awaitTurnToLead() {
            boolean interrupted = false;
            while (state == State.WAITING) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return state == State.LEADER;
        }

        void makeLeader() {
            set(State.LEADER);
        }

        void done() {
            set(State.DONE);
        }

        void failed(StoreException outcome) {
            failure = outcome;
            set(State.DONE);
        }

        void rethrow() {
            if (failure != null) {
                throw failure;
            }
        }

        private void set(State next) {
            state = next;
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
        }
    }
}

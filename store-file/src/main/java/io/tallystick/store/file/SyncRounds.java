package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.GuardedBy;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.PlaceWatch;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of names durable, many at a time.
 *
 * <p>One of the callers leads a <b>round</b> on its own thread. It applies every queued change, in the order in which
 * they came, and then forces each directory concerned once. Then every caller is done whose change was queued when the
 * round began. There is one round at a time. A caller that arrives while there is none leads one at once. The others
 * wait, and one of them leads the next. So the next batch gathers while the syncs are in progress, and a lone caller
 * hands nothing over.
 *
 * <p>A virtual thread leads no round. One that was chosen, and is not mounted, may never run: other virtual threads
 * that wait for the same round may be pinned to all carriers. So a caller on a platform thread is chosen where one
 * waits, and else {@link RoundThread}. A virtual thread leads only where that thread cannot be started.
 *
 * <p>One thread at a time changes names: the leader, or a caller that defers where too much is queued. A file system
 * has one lock for each directory, and hundreds of threads that fight for it do little else.
 *
 * <p>A deferred change is queued and left to the next round, so every round makes durable all that was deferred before
 * it.
 *
 * <p>The promise: when {@link #force} returns, the change was applied, and a force of its directory that began
 * afterwards has succeeded. The same holds for every change that was queued before it. After the first failure no
 * round begins. A round that is in progress may end, and acknowledge what it has brought to disk. A caller hears that
 * nothing was changed only if no round will touch its change.
 *
 * <p>A failure may be a lack of memory. So a round allocates nothing to queue, to hand over and to wake callers:
 * changes and callers are linked to each other. A thread that fails while it changes names fails the store before it
 * frees the lock of the names. Each caller finds the outcome of its change on its own thread, and makes its own
 * exception.
 */
final class SyncRounds {
    private static final String FAILURE = "names of files could not be changed or made durable";

    private final Disk disk;
    private final DirectoryForces forces;
    private final NanoClock clock;
    private final FailStop failStop;
    private final StatisticsRecorder statistics;
    private final int maxQueued;

    // Null until the store is open.
    private volatile @Nullable PlaceWatch watch;

    private final RoundThread roundThread = new RoundThread(this::leadForVirtual);
    // Used by that thread only; made now, because a round allocates nothing.
    private final Waiter leaderForVirtual = new Waiter(null, null);

    // Held for moments only.
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock") private final NameChanges queued = new NameChanges();

    @GuardedBy("lock") private final Waiters waiting = new Waiters();

    @GuardedBy("lock") private final Waiters waitingVirtual = new Waiters();

    @GuardedBy("lock") private boolean isLed;

    // Held while names are changed; taken before the other lock.
    private final ReentrantLock naming = new ReentrantLock();

    @GuardedBy("naming") private @Nullable NameChange applying;

    @GuardedBy("naming") private final NameChanges unforced = new NameChanges();

    // Written under the lock of the names.
    private volatile long begun;

    // Changes that are queued or applied and not yet on disk.
    private final AtomicInteger outstanding = new AtomicInteger();
    private final AtomicInteger outstandingDeferred = new AtomicInteger();

    /** @param maxQueued who defers where more changes are queued applies them, so that the next round begins in time */
    SyncRounds(
            Disk disk,
            DirectoryForces forces,
            NanoClock clock,
            FailStop failStop,
            StatisticsRecorder statistics,
            int maxQueued) {
        this.disk = disk;
        this.forces = forces;
        this.clock = clock;
        this.failStop = failStop;
        this.statistics = statistics;
        this.maxQueued = maxQueued;
    }

    /** From now on no name is changed, and no round counts, where this watch finds that the place is lost. */
    void checkBy(PlaceWatch placeWatch) {
        watch = placeWatch;
    }

    /**
     * Brings the change to disk.
     *
     * @throws StoreFullException nothing was changed, because there is no room
     * @throws OutcomeUnknownException it may or may not be on disk
     * @throws io.tallystick.store.StoreFailedException nothing was changed, because of an earlier failure
     */
    void force(NameChange change) {
        await(change);
        refuseIfFull(change);
    }

    /**
     * Brings every change that was deferred before to disk.
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
        try {
            if (enqueue(change) > maxQueued) {
                changeNames(null);
            }
        } catch (IOException failed) {
            throw afterFailure(change, failed);
        } catch (RuntimeException | Error failed) {
            if (!change.isQueued()) {
                throw failed;
            }
            throw afterFailure(change, failed);
        }
    }

    /** Ends the thread that leads rounds. No operation may be in progress. */
    void end() {
        roundThread.end();
    }

    /** Abandons the changes that a failed store has not brought to disk. No operation may be in progress. */
    @SuppressWarnings("GuardedBy") // no other thread is here any more, and there may be no memory to wait for a lock
    void abandon() {
        abandon(queued.takeAll());
        abandon(applying);
        abandon(unforced.takeAll());
    }

    private static void abandon(@Nullable NameChange first) {
        for (NameChange change = first; change != null; change = change.next) {
            change.abandon();
        }
    }

    /** Whether all changes are on disk. */
    boolean isClean() {
        return outstanding.get() == 0;
    }

    /** How many deferred changes are not known to be on disk. */
    int outstandingDeferred() {
        return outstandingDeferred.get();
    }

    /**
     * The number of rounds that have begun. Changes that were queued before the last one are on disk or on their way.
     */
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

    /**
     * If this fails, the store has to: the change counts as queued. Called under the lock. The change is counted before
     * readers may see it: who forces what it has seen must find something to force.
     */
    @GuardedBy("lock") private void add(NameChange change) {
        outstanding.incrementAndGet();
        if (change.deferred) {
            outstandingDeferred.incrementAndGet();
        }
        change.queued();
        queued.add(change);
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

    /**
     * Applies the queued changes. All that are applied and not forced become those of the round, if a leader is given.
     * An error fails the store before another thread may change names, because the changes that were taken here are in
     * no queue any more.
     */
    private void changeNames(@Nullable Waiter leaderOrNull) throws IOException {
        checkPlace();
        naming.lock();
        try {
            failStop.check();
            applyQueued();
            if (leaderOrNull != null) {
                leaderOrNull.forcing = unforced.takeAll();
                begun++;
            }
        } catch (Throwable failed) {
            // Assigned, not called: nothing can fail in between.
            if (failStop.cause == null) {
                failStop.cause = failed;
            }
            throw failed;
        } finally {
            naming.unlock();
        }
    }

    /** Before names are changed, and again before that counts. Without a lock: it may wait for a look. */
    private void checkPlace() throws IOException {
        PlaceWatch present = watch;
        if (present != null) {
            present.checkAfterStandstill();
        }
    }

    @GuardedBy("naming") private void applyQueued() throws IOException {
        takeQueued();
        for (NameChange change = applying; change != null; change = change.next) {
            change.prepare();
        }
        while (applying != null) {
            NameChange change = applying;
            boolean isApplied = change.apply(disk);
            applying = change.next;
            if (isApplied) {
                unforced.add(change);
            } else {
                settled(change);
            }
        }
    }

    @GuardedBy("naming") private void takeQueued() {
        lock.lock();
        try {
            applying = queued.takeAll();
        } finally {
            lock.unlock();
        }
    }

    private void await(@Nullable NameChange changeOrNull) {
        Waiter me = new Waiter(Thread.currentThread(), changeOrNull);
        try {
            if (enter(me) || me.hasToSummon && !roundThread.summon() || me.awaitLeadOrEnd()) {
                lead(me);
            }
        } catch (IOException failed) {
            giveUp(me, failed);
        } catch (RuntimeException | Error failed) {
            if (!me.hasEntered) {
                throw failed;
            }
            giveUp(me, failed);
        }
        if (!me.isDone()) {
            // A leader may hand over to this caller, which returns now: so it wakes all callers behind it, and they see
            // the failure.
            wake(takeWaiting());
            throw outcome(changeOrNull);
        }
    }

    /**
     * Queues the caller's change, if there is one; true if the caller leads a round, false if it waits for one. A
     * virtual thread that waits for a round that nobody leads has to summon the thread of the rounds.
     */
    private boolean enter(Waiter me) {
        lock.lock();
        try {
            failStop.check();
            me.hasEntered = true;
            if (me.changeOrNull != null) {
                add(me.changeOrNull);
            }
            if (!isLed) {
                isLed = true;
                if (!me.isVirtual) {
                    return true;
                }
                me.hasToSummon = true;
            }
            (me.isVirtual ? waitingVirtual : waiting).add(me);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** A round for virtual threads alone. Those that wait are carried, and they find the outcome. */
    private void leadForVirtual() {
        Waiter leader = leaderForVirtual;
        try {
            lead(leader);
        } catch (IOException | RuntimeException | Error failed) {
            giveUp(leader, failed);
        } finally {
            leader.forcing = null;
            leader.carried = null;
            leader.heir = null;
        }
    }

    /** Carries out a round for the caller that leads it and all callers that wait for it. */
    private void lead(Waiter leader) throws IOException {
        leader.carried = takeWaiting();
        round(leader);
        leader.heir = pollWaitingOrStepDown();
        if (leader.heir != null && !(leader.heir.isVirtual && roundThread.summon())) {
            leader.heir.makeLeader();
        }
        leader.done();
        for (Waiter waiter = leader.carried; waiter != null; waiter = waiter.next) {
            waiter.done();
        }
    }

    /** Takes all callers that wait, although there may be no memory to wait for the lock: nobody else wakes them. */
    private @Nullable Waiter takeWaiting() {
        lockSurely();
        try {
            waiting.add(waitingVirtual.takeAll());
            return waiting.takeAll();
        } finally {
            lock.unlock();
        }
    }

    private void lockSurely() {
        try {
            lock.lock();
        } catch (OutOfMemoryError noMemory) {
            while (!lock.tryLock()) {
                Thread.yield();
            }
        }
    }

    /** The caller that waits first; one on a virtual thread only where no other waits, and it stays in the queue. */
    private @Nullable Waiter pollWaitingOrStepDown() {
        lock.lock();
        try {
            Waiter first = waiting.poll();
            if (first != null) {
                return first;
            }
            if (waitingVirtual.first == null) {
                isLed = false;
            }
            return waitingVirtual.first;
        } finally {
            lock.unlock();
        }
    }

    private void round(Waiter leader) throws IOException {
        changeNames(leader);
        forceDirectories(leader.forcing);
        checkPlace();
        for (NameChange change = leader.forcing; change != null; change = change.next) {
            change.onDisk();
            settled(change);
        }
        leader.forcing = null;
    }

    private void forceDirectories(@Nullable NameChange changes) throws IOException {
        if (changes == null) {
            return;
        }
        long started = clock.nanoTime();
        StoreEvents.Force force = statistics.events().beginForce();
        int count = 0;
        Set<TypeDirectory> directories = new LinkedHashSet<>();
        for (NameChange change = changes; change != null; change = change.next) {
            directories.add(change.directory);
            count++;
        }
        for (TypeDirectory directory : directories) {
            forces.force(directory.path());
        }
        force.succeeded(count, 0);
        statistics.forcedBetween(count, started, clock.nanoTime());
    }

    /**
     * Ends the part of a caller that has failed in a round or in waiting for one. Fails the store, wakes every caller
     * that waits, and then logs.
     */
    private void giveUp(Waiter me, Throwable failed) {
        try {
            failStop.mark(FAILURE, failed);
        } finally {
            wake(me.heir);
            wake(me.carried);
            wake(takeWaiting());
        }
        abandon(me.forcing);
        failStop.log();
    }

    private static void wake(@Nullable Waiter first) {
        for (Waiter waiter = first; waiter != null; waiter = waiter.next) {
            waiter.wake();
        }
    }

    private StoreException afterFailure(NameChange change, Throwable failed) {
        failStop.mark(FAILURE, failed);
        failStop.log();
        return outcome(change);
    }

    /** The outcome of a caller's change, or of its force, after the store has failed. */
    private StoreException outcome(@Nullable NameChange changeOrNull) {
        boolean isUntouched;
        // A round may still be changing names, this one among them. No round begins after this lock was taken.
        naming.lock();
        try {
            isUntouched = changeOrNull != null && !changeOrNull.mayBeSeen();
        } finally {
            naming.unlock();
        }
        return isUntouched ? failStop.refusal() : failStop.unknown();
    }

    /** Callers in the order of their arrival, linked to each other. */
    private static final class Waiters {
        private @Nullable Waiter first;
        private @Nullable Waiter last;

        /** @param waiter may be null; those that it is linked to may be added by no other call */
        void add(@Nullable Waiter waiter) {
            if (first == null || last == null) {
                first = waiter;
            } else {
                last.next = waiter;
            }
            last = waiter;
        }

        @Nullable Waiter poll() {
            Waiter polled = first;
            if (polled != null) {
                first = polled.next;
                polled.next = null;
            }
            return polled;
        }

        @Nullable Waiter takeAll() {
            Waiter taken = first;
            first = null;
            last = null;
            return taken;
        }
    }

    private enum WaiterState {
        WAITING,
        LEADER,
        DONE
    }

    /** One caller that takes part in a round, or leads one. */
    private final class Waiter implements UninterruptedWait.Condition {
        private final @Nullable Thread threadOrNull;
        private final @Nullable NameChange changeOrNull;
        private final boolean isVirtual;
        // Used by the caller only, and so are the next four.
        private boolean hasEntered;
        // If it is virtual: nobody leads the round that it waits for.
        private boolean hasToSummon;
        // If it leads: the changes that its round forces.
        private @Nullable NameChange forcing;
        // The first of the callers that its round carries.
        private @Nullable Waiter carried;
        // The caller that leads the next round.
        private @Nullable Waiter heir;
        // Guarded by the lock while the caller waits; then used by the leader that has taken it along.
        private @Nullable Waiter next;
        private volatile WaiterState state = WaiterState.WAITING;

        /** @param threadOrNull the calling thread; null for the thread of the rounds, which never waits here */
        Waiter(@Nullable Thread threadOrNull, @Nullable NameChange changeOrNull) {
            this.threadOrNull = threadOrNull;
            this.changeOrNull = changeOrNull;
            this.isVirtual = threadOrNull != null && StoreThread.isCurrentVirtual();
        }

        /**
         * Waits for a round that has carried this caller, for its turn to lead, or for the store's failure: true to
         * lead.
         */
        boolean awaitLeadOrEnd() {
            UninterruptedWait.until(this);
            return state == WaiterState.LEADER;
        }

        /** Whether the wait of this caller has an end. */
        @Override
        public boolean isMet() {
            return state != WaiterState.WAITING || failStop.cause != null;
        }

        boolean isDone() {
            return state == WaiterState.DONE;
        }

        void makeLeader() {
            state = WaiterState.LEADER;
            wake();
        }

        void done() {
            state = WaiterState.DONE;
            wake();
        }

        void wake() {
            if (threadOrNull != Thread.currentThread()) {
                LockSupport.unpark(threadOrNull);
            }
        }
    }
}

package io.tallystick.store.log.commit;

import io.tallystick.storage.GuardedBy;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.PlaceLostException;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.StackRoom;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets many committing threads share few durable writes, without a timer.
 *
 * <h2>The thread that writes</h2>
 *
 * Callers push appends on one queue. The thread that holds one of the {@link WritePermits} takes the whole queue, lays
 * it out as one batch, and does one durable write. Appends that are queued meanwhile make the next batch. Example: a
 * write takes 100 us and 20 callers push in that time; the next write carries 20 appends.
 *
 * <ul>
 *   <li>A caller that finds a permit free writes one batch on its own thread. A lone committer pays one write and no
 *   hand-off.
 *   <li>If it leaves urgent appends behind, it wakes a {@link WriterThread}, which writes as long as there are any.
 *   <li>In a crowd callers do not write: the first writer thread does nothing else, and each write carries more.
 *   <li>Virtual threads and asynchronous callers never write: they wake a writer thread. Nor does any caller write to a
 *   {@linkplain RecordLog#isRemote remote} log.
 *   <li>A thread of the {@link StageCompleter} that has run all actions writes their appends, as a caller does. While
 *   it is {@linkplain StageCompleter#isAttentive attentive}, asynchronous callers wake no writer.
 *   <li>Where no batch has followed the last one for {@value #IDLE_TICK_MILLIS} ms times {@value
 *   #IDLE_TICKS_BEFORE_MARK}, the first writer writes a mark: by it recovery knows that the last batch was on disk.
 *   <li>Deferred appends go with the next write. If there is none, the first writer writes them within
 *       {@value #IDLE_TICK_MILLIS} ms. A caller that finds {@value #MOST_DEFERRED_BYTES} bytes deferred waits until
 *       they are on disk. Otherwise those who defer fill the memory, and those who force wait behind them.
 * </ul>
 *
 * <p>{@link CommitWaits} says how a platform thread waits for its own append, and how a writer waits for those of
 * others. Any other thread sleeps. So does every caller of a remote log, where a write takes a round trip.
 *
 * <p>No thread of the group commit runs an action of a caller or waits for room. No wake-up is lost: a caller pushes
 * before it looks for a permit, and a writer returns its permit before it looks at the queue.
 *
 * <h2>Order</h2>
 *
 * Taking the queue and giving places is one step under the layout lock. So the order of the log is the order of the
 * queue, whichever write ends first. A barrier succeeds when every append that was queued before it is on disk.
 *
 * <p>A call that forces covers every call that had returned before it began. Of those only the deferred ones may be on
 * their way still, in the same batch or in one before. So a batch is settled when it has landed and every batch with a
 * deferred change before it has landed too ({@link LandingOrder}). Its thread does not wait for that: it returns its
 * permit, and the thread that lands the last such batch settles what was held.
 *
 * <h2>Failing stop</h2>
 *
 * The first write that fails, or any other error on the way, seals the queue. The appends of its batch have an unknown
 * outcome, and so have batches that land later. Queued appends are not written, and say so. Every later push throws.
 * Nothing is written or forced again. A batch that had landed before succeeds, unless it is held: a deferred change
 * before it may be lost, so its outcome is unknown.
 *
 * <p>The error may be missing memory. So taking the queue, failing and settling allocate nothing, and the failure is
 * logged last. Or it may be the end of a caller's stack: {@link StackRoom} looks for that before anything is queued. If
 * it is thrown after that, the thread leaves its {@link Flight} behind, and a writer ends it: each step of ending may
 * be repeated.
 */
public final class GroupCommit implements StageCompleter.Follower {
    /** How often the first writer looks for deferred appends, milliseconds. */
    public static final int IDLE_TICK_MILLIS = 50;

    /** How many bytes of deferred records may be queued before a caller that defers waits. */
    static final int MOST_DEFERRED_BYTES = 1 << 20;

    /** After how many such looks without a new batch the first writer writes a mark. */
    static final int IDLE_TICKS_BEFORE_MARK = 5;

    private static final long SETTLING_NANOS = 100_000;

    private final RecordLog log;
    private final String failureText; // made early: there may be no memory for it later
    private final NanoClock clock;
    private final StatisticsRecorder statistics;
    private final StageCompleter stages;
    private final Settlement settlement;
    private final AppendQueue queue = new AppendQueue();
    // What each batch must pass; set once, while the store is being opened.
    private volatile PlaceCheck placeCheck = () -> {};
    private final WritePermits permits;
    private final Writers writers;
    private final CommitWaits waits;
    private final IntSupplier queuedCommitters = queue::committers; // made early, as the text above
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    // The error that took the log from this store, which need not be the first failure; written before that is set.
    private volatile @Nullable Throwable loss;
    private final AtomicBoolean failureLogged = new AtomicBoolean();
    private final AtomicInteger unsettled = new AtomicInteger(); // batches that were taken, not wholly settled
    private final LeftFlights leftBehind = new LeftFlights(this::conclude);

    private final ReentrantLock layout = new ReentrantLock();
    // Written under the layout lock; also read without it, to see whether there is work.
    private volatile @Nullable PendingAppend carry;

    @GuardedBy("layout") private long taken;

    @GuardedBy("layout") private final LandingOrder landing = new LandingOrder();
    // Written under the layout lock, read by the first writer without it.
    private volatile long landed;

    @GuardedBy("layout") private final Barriers barriers = new Barriers();

    /**
     * A group commit over this log. {@link #start} starts its threads.
     *
     * @param waiting how platform threads wait for a write, where the log is on this machine
     * @param stages completes the stages of appends that are settled; the caller closes it
     * @param forget takes the removals that the index holds, once they are on disk
     */
    public GroupCommit(
            RecordLog log,
            WaitStrategy waiting,
            NanoClock clock,
            StatisticsRecorder statistics,
            StageCompleter stages,
            Consumer<PendingAppend> forget) {
        this.log = log;
        this.failureText = "TALLY0301 a " + log.name() + " write failed; the store has failed stop";
        this.clock = clock;
        this.statistics = statistics;
        this.stages = stages;
        this.settlement = new Settlement(stages, forget, this::fail);
        this.waits = CommitWaits.ofThisMachine(waiting, clock);
        this.permits = new WritePermits(log.writesInFlight(), log.isRemote(), waits::isBusy);
        this.writers = new Writers(this, log.name(), log.writesInFlight());
    }

    /** Whether the log is still where this store may write. */
    public interface PlaceCheck {
        /** @throws IOException the log is lost; the outcome of the batch is unknown */
        void check() throws IOException;
    }

    /** Has each batch from now on pass this check before it is written, and again before it counts. */
    public void checkBy(PlaceCheck check) {
        placeCheck = check;
    }

    /** Starts the writer threads, all or none. */
    public void start() {
        if (!log.isRemote()) {
            stages.followedBy(this);
        }
        writers.start();
    }

    /**
     * Queues an append; its outcome comes later. Under the index' lock of its key, so that appends of one key are
     * queued in the order in which they supersede each other. Never waits.
     *
     * @throws StoreException the queue is sealed; the append will not be written
     */
    public void push(PendingAppend append) {
        // The failure is known before the queue is sealed: a caller that has seen it must not push any more.
        if (failure.get() != null || !queue.push(append)) {
            throw refusal();
        }
    }

    /**
     * Runs pushes whose appends are to be laid out side by side: no batch is taken meanwhile.
     *
     * <p><b>The order of locks</b> is: the layout lock, then the lock of a key in the index, which each push takes.
     * Both are held here, and where {@link #fail} settles flights and forgets removals. Nothing that runs under the
     * lock of a key takes the layout lock or waits for a thread that does: {@link #push} takes none, nor its refusal.
     */
    public void pushTogether(Runnable pushes) {
        layout.lock();
        try {
            pushes.run();
        } finally {
            layout.unlock();
            logIfFailed();
        }
    }

    /**
     * Finishes the push of an append, without the index' lock. Wakes a writer for a deferred or an asynchronous append
     * where that is needed. Waits until any other append is on disk, and with a deferred one where too much is queued.
     *
     * @throws StoreException the record is not on disk, or its outcome is unknown
     */
    public void followUp(PendingAppend append) {
        if (append.isDeferred()) {
            writers.rouseFirstFromSleep();
            finishDeferred(append);
        } else if (append.stage() == null) {
            await(append);
        } else if (permits.isFree() && (log.isRemote() || !stages.isAttentive())) {
            rouseWriter();
        }
    }

    /**
     * Waits where much was deferred before, and where this process does not see the append yet, because it holds a part
     * of a forced one on its way. Only a caller whose append will never be seen is told of a failure here.
     */
    private void finishDeferred(PendingAppend append) {
        if (append.isCarried()) { // copies are queued under the layout lock
            return;
        }
        if (append.deferredBefore() >= MOST_DEFERRED_BYTES) {
            try {
                forceChecked();
            } catch (StoreException | OutOfMemoryError told) { // the append is queued; the next call is told
            }
        }
        awaitVisible(append);
    }

    @Override
    public boolean isWanted() {
        return hasUrgent() && permits.isFree();
    }

    @Override
    public void writeBatch() {
        Flight flight = Flight.newOrNull();
        if (flight == null) {
            rouseWriter();
        } else if (permits.tryTake()) {
            writeOneBatch(flight, true);
        }
    }

    /**
     * Waits until an append that is not deferred is on disk. Writes by itself where that is quickest. Keeps waiting
     * through interrupts, and leaves the interrupt flag set. The caller has looked for {@link StackRoom} before it
     * pushed.
     *
     * @throws StoreException it is not on disk, or its outcome is unknown
     */
    public void await(PendingAppend append) {
        boolean interrupted = false;
        boolean isPlatform = !StoreThread.isCurrentVirtual();
        boolean mayWrite = isPlatform && !log.isRemote();
        CommitWaits.Waiter waiter = mayWrite ? waits.newWaiter(append.committers()) : waits.sleeper();
        try {
            while (!append.isSettled()) {
                if (hasUrgent() && permits.isFree()) {
                    if (!mayWrite || permits.isCrowded()) {
                        rouseWriter();
                    } else {
                        Flight flight = Flight.newOrNull();
                        if (flight == null) {
                            mayWrite = false;
                            continue;
                        }
                        waiter.pause();
                        if (permits.tryTake()) {
                            mayWrite = writeOneBatch(flight, true);
                            continue;
                        }
                    }
                }
                long sleepNanos = waiter.yieldOrSleep();
                if (sleepNanos > 0) {
                    append.park(this, sleepNanos);
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            waiter.pause();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (append.isFailed()) {
            throw append.failure();
        }
    }

    /**
     * Waits until readers may see an append.
     *
     * @throws StoreException readers will never see it
     */
    public void awaitVisible(PendingAppend append) {
        append.awaitVisible(() -> {
            if (hasUrgent() && permits.isFree()) {
                rouseWriter(); // a dependent action may wait for what its own thread would write after it
            }
        });
        if (!append.isVisible()) {
            throw append.failure();
        }
    }

    /**
     * Waits until everything pushed before is on disk.
     *
     * @throws StackOverflowError this thread's stack is too full to begin
     */
    public void force() {
        StackRoom.check();
        forceChecked();
    }

    private void forceChecked() {
        PendingAppend barrier = PendingAppend.barrier();
        push(barrier);
        await(barrier);
    }

    /** The error after which nothing is written any more; empty while there is none. */
    public Optional<StoreException> failure() {
        return Optional.ofNullable(failure.get()).map(CommitFailure::refusal);
    }

    /** Why the log is known to be another's, or gone; empty if it is not. */
    public Optional<Throwable> loss() {
        return Optional.ofNullable(loss);
    }

    /**
     * Refuses where the log is known to be another's or gone. A mere failure is no reason: what is in memory is then
     * all that was acknowledged, and nobody else has changed it.
     */
    public void checkNotLost() {
        Throwable lostBecause = loss;
        if (lostBecause != null) {
            throw CommitFailure.silence(lostBecause);
        }
    }

    /**
     * Ends the group commit as a failed write would: for an error that no writer meets, such as a lost directory.
     *
     * @return whether this is the failure that callers hear of; false if there was one before
     */
    public boolean failStop(Throwable cause) {
        fail(cause);
        logIfFailed();
        return failure.get() == cause;
    }

    /**
     * Writes all queued appends, refuses later ones, and ends the writer threads.
     *
     * @throws StoreException something queued may not be on disk
     */
    public void close() {
        try {
            // Throws if the store has failed: deferred appends may not be on disk then, and no caller may know yet.
            do {
                forceChecked(); // the store has looked for more stack than this takes
            } while (!sealIfIdle());
        } catch (RuntimeException | Error thrown) {
            if (!(thrown instanceof StoreException)) {
                failStop(thrown); // no caller must push any more, because no thread will write
            }
            throw thrown;
        } finally {
            try {
                lockSurely(); // a batch that is being taken is counted when this thread has the lock
                layout.unlock();
                awaitFlights();
            } finally {
                writers.end();
            }
        }
    }

    /** Waits until no caller writes or settles any more, also after a failure: the files are closed next. */
    private void awaitFlights() {
        boolean interrupted = false;
        while (unsettled.get() != 0) {
            endLeftBehind();
            LockSupport.parkNanos(this, SETTLING_NANOS);
            interrupted |= Thread.interrupted(); // with the flag set no thread parks
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean sealIfIdle() {
        layout.lock();
        try {
            return carry == null && landing.isEmpty() && queue.sealIfEmpty();
        } finally {
            layout.unlock();
        }
    }

    /** Whether this thread has written and leaves work behind that it will not look at next. */
    private boolean needsAnotherWriter() {
        if (Thread.currentThread() instanceof WriterThread) {
            return false; // it looks at the queue next
        }
        // A loop looks at the queue when it has run the actions of a batch. Threads must not wait for actions.
        return stages.isFollowingHere() ? carry != null || queue.hasAwaited() : hasUrgent();
    }

    boolean hasUrgent() {
        return carry != null || queue.hasUrgent();
    }

    boolean hasAny() {
        return carry != null || !queue.isEmpty();
    }

    /**
     * Writes one batch with the permit that this thread holds, and returns the permit. Returns false if this thread
     * could not, and should not write again: a writer does the rest.
     */
    private boolean writeOneBatch(Flight flight, boolean isUrgent) {
        boolean isOver = false;
        try {
            fly(flight, isUrgent);
            conclude(flight);
            isOver = true;
        } catch (Throwable thrown) { // callers wait for appends of the flight
            flight.trouble = thrown;
            leftBehind.add(flight);
            writers.rouseAll();
        }
        logIfFailed();
        return isOver;
    }

    private void fly(Flight flight, boolean isUrgent) {
        try {
            if (isUrgent && carry == null && !log.isRemote()) { // with a carry, older appends wait already
                waits.awaitCohort(queuedCommitters);
            }
            take(flight);
            // A batch that was taken just before the store failed is not written, as far as this can be seen.
            flight.trouble = flight.trouble == null ? failure.get() : flight.trouble;
            if (flight.batch != null && flight.trouble == null) {
                long begun = clock.nanoTime();
                waits.begun(begun);
                StoreEvents.Force force = statistics.events().beginForce();
                placeCheck.check();
                log.write(flight.batch);
                placeCheck.check();
                force.succeeded(flight.batch.count(), flight.batch.bytes());
                flight.landedAt = clock.nanoTime();
                flight.writeNanos = flight.landedAt - begun;
                statistics.forcedBetween(flight.batch.count(), begun, flight.landedAt);
                statistics.bytesWritten(flight.batch.bytes());
            }
        } catch (Throwable thrown) { // the outcome of the batch is unknown and its callers wait
            flight.trouble = thrown;
        }
    }

    /**
     * Ends a flight.
     *
     * <p><b>The rule of repetition.</b> If this throws, {@link #writeOneBatch} notes the error as the flight's trouble
     * and leaves the flight to a writer, which calls this again. So a second call never lands the batch: it fails the
     * store instead, which may be done twice. Every other step clears the field that asked for it ({@code hasBegun},
     * {@code hasPermit}, {@code isCounted}, the chains) behind its effect, and nothing between the two may throw. So a
     * second call goes on where the first one ended. A new step must do the same, or be harmless when it is repeated.
     */
    private void conclude(Flight flight) {
        if (flight.trouble != null) {
            fail(flight.trouble);
        } else if (flight.batch != null) {
            land(flight);
        }
        // Another thread settles a flight that is held, perhaps at this moment.
        boolean isOwn = !flight.held;
        if (isOwn && flight.committers < WritePermits.CROWD && flight.unsettledAppends < Settlement.QUICK) {
            // A caller that yields would else take the permit, and write for others after its own end.
            settlement.settle(flight, failure.get());
            settlement.release(flight);
        }
        if (flight.hasBegun) {
            permits.end(flight.committers);
            flight.hasBegun = false;
        }
        if (flight.hasPermit) {
            permits.giveBack();
            flight.hasPermit = false;
        }
        if (needsAnotherWriter()) {
            rouseWriter();
        }
        settlement.release(flight);
        if (isOwn) {
            settleWholly(flight);
        }
        while (flight.firstReleased != null) {
            Flight released = flight.firstReleased;
            settleWholly(released);
            flight.firstReleased = released.nextHeld;
        }
    }

    private void settleWholly(Flight flight) {
        settlement.settle(flight, failure.get());
        if (flight.isCounted) {
            unsettled.decrementAndGet();
            flight.isCounted = false;
        }
    }

    /** Writes one batch on a writer thread; false if no write may begin now. */
    boolean tryWrite(boolean isUrgent) {
        if (!permits.isFree()) {
            return false;
        }
        Flight flight = new Flight();
        if (!permits.tryTake()) {
            return false;
        }
        writeOneBatch(flight, isUrgent);
        if (isUrgent && permits.isCrowded() && !hasUrgent()) {
            waits.awaitFirst(queuedCommitters); // to park and to be woken takes longer
        }
        return true;
    }

    /** Writes a mark on a writer thread, if nothing is on its way and the log wants one. */
    void tryMark() {
        if (failure.get() == null && !hasAny() && permits.isFree()) {
            Flight flight = new Flight();
            flight.isMark = true;
            if (permits.tryTake()) {
                writeOneBatch(flight, false);
            }
        }
    }

    /** How many batches have landed; the order of two reads tells whether one landed in between. */
    long landed() {
        return landed;
    }

    boolean mayWriteNow() {
        return hasLeftBehind() || (hasUrgent() && permits.isFree());
    }

    boolean hasLeftBehind() {
        return leftBehind.hasAny();
    }

    /** Ends the flights that their threads could not end. */
    void endLeftBehind() {
        leftBehind.endAll();
        logIfFailed();
    }

    /** Takes the queue and lays out the first batch of it, unless there is nothing to write. */
    private void take(Flight flight) throws IOException {
        layout.lock();
        try {
            flight.trouble = failure.get();
            if (flight.trouble != null) {
                return; // the thread that met it may not have sealed the queue yet: this one does, instead of looping
            }
            permits.begin();
            flight.hasBegun = true;
            if (flight.isMark) {
                takeMark(flight);
                return;
            }
            int forcing = 0;
            if (carry == null) {
                carry = barriers.takeOutOf(queue.takeAll(), taken);
                forcing = barriers.lastKept();
            }
            if (carry == null) {
                permits.end(0);
                flight.hasBegun = false;
                waits.taken(0);
                flight.released = barriers.release(landing.durableAppends());
                return;
            }
            unsettled.incrementAndGet();
            flight.isCounted = true;
            // Memory is taken before the batch is laid out: if there is none, carry still has the whole chain.
            landing.add(flight);
            RecordLog.Batch batch = log.layOut(carry);
            PendingAppend first = (PendingAppend) batch.first();
            PendingAppend rest = (PendingAppend) batch.rest();
            int records = batch.count();
            int committers = forcing + Flight.committersIn(first, records);
            flight.defers = Flight.isAnyDeferred(first, records);
            permits.use(committers);
            flight.committers = committers;
            waits.taken(committers);
            flight.takenAtEnd = taken + records;
            landing.laidOut(flight);
            // Nothing is called, so nothing throws, while the appends pass from the chain to the flight. Else another
            // flight would take appends for which this one counts as deferring.
            flight.batch = batch;
            flight.firstUnsettled = first;
            flight.unsettledAppends = records;
            carry = rest;
            taken += records;
        } finally {
            layout.unlock();
        }
    }

    @GuardedBy("layout") private void takeMark(Flight flight) {
        if (carry == null && queue.isEmpty() && landing.isEmpty() && log.wantsMark()) {
            unsettled.incrementAndGet();
            flight.isCounted = true;
            // Memory is taken before the mark is laid out: a mark that is laid out must be written.
            landing.add(flight);
            flight.batch = log.layOutMark();
            flight.takenAtEnd = taken;
        }
    }

    /** Notes that a batch is on disk, unless the store has failed. */
    private void land(Flight flight) {
        try {
            Throwable failed;
            lockSurely();
            try {
                failed = failure.get();
                if (failed == null) {
                    landing.land(flight);
                    landing.advance();
                    flight.released = barriers.release(landing.durableAppends());
                    count(flight);
                    if (!flight.isMark) {
                        waits.landed(flight.writeNanos, flight.landedAt);
                    }
                    landed++;
                }
            } finally {
                layout.unlock();
            }
            if (failed != null) {
                fail(failed); // the thread that met it may have stopped before it told the callers of held flights
                return;
            }
            writers.rouseFirstFromSleep(); // it looks whether another batch follows
        } catch (Throwable uncounted) { // the batch is on disk, but the engine's counts are wrong
            fail(uncounted);
        }
    }

    /**
     * Tells the log that a batch counts, and so do those that were held until it landed. Not a batch that is held now:
     * readers see what its records supersede, and go on to see it if the batch fails.
     */
    @GuardedBy("layout") private void count(Flight flight) {
        if (flight.held) {
            return;
        }
        log.durable(flight.landedBatch(), landing.durableSequence());
        for (Flight released = flight.firstReleased; released != null; released = released.nextHeld) {
            log.durable(released.landedBatch(), landing.durableSequence());
        }
    }

    /** Takes the layout lock although there may be no memory to queue for it. */
    private void lockSurely() {
        try {
            layout.lock();
        } catch (OutOfMemoryError noMemory) {
            while (!layout.tryLock()) {
                Thread.yield();
            }
        }
    }

    /**
     * Seals the queue and refuses all appends that are not in flight. Takes no memory, because a lack of memory may be
     * the failure. May be called again by another thread, which goes on where this one could not.
     */
    private void fail(Throwable cause) {
        if (CommitFailure.isLoss(cause)) {
            loss = cause;
        }
        failure.compareAndSet(null, cause);
        Throwable first = Objects.requireNonNull(failure.get(), "the failure was just set");
        lockSurely();
        try {
            while (carry != null) {
                carry = settlement.refuse(carry, first);
            }
            carry = queue.sealAndTake();
            while (carry != null) {
                carry = settlement.refuse(carry, first);
            }
            while (barriers.first() != null) {
                barriers.beginWith(settlement.refuse(barriers.first(), first));
            }
            for (Flight held = landing.firstHeld(); held != null; held = landing.firstHeld()) {
                settleWholly(held);
                landing.dropFirstHeld();
            }
        } finally {
            layout.unlock();
        }
    }

    /** Logs the failure once, and not while this thread holds the layout lock and others wait for it. */
    private void logIfFailed() {
        Throwable cause = failure.get();
        if (cause == null || layout.isHeldByCurrentThread() || !failureLogged.compareAndSet(false, true)) {
            return;
        }
        try {
            statistics.events().failed(cause);
        } catch (Throwable unrecorded) { // the log is still to be written
        }
        boolean isPlaceLost = cause instanceof PlaceLostException;
        FailureLog.tell(GroupCommit.class, isPlaceLost ? cause.getMessage() : failureText, cause);
    }

    private StoreException refusal() {
        return failure().orElseGet(() -> new StoreClosedException("the store is closed; open it again to use it"));
    }

    @Override
    public void rouseWriter() {
        if (permits.isCrowded()) {
            writers.rouseFirst();
        } else {
            writers.rouseOne();
        }
    }
}

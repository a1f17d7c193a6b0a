package io.tallystick.store.journal.engine;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Lets many committing threads share few durable writes, without a timer.
 *
 * <h2>Who writes</h2>
 *
 * Callers push appends on one queue. Whoever holds one of the {@link WritePermits} writes: it takes everything that is
 * queued, lays it out as one batch, and does one durable write. The write in flight is the batch window: what is queued
 * meanwhile makes the next batch.
 *
 * <ul>
 *   <li>A caller that finds a permit free writes at once, on its own thread: a lone committer pays one durable write and
 *       no hand-off. It writes one batch and goes its way.
 *   <li>If it leaves urgent appends behind, it wakes a writer thread, which writes as long as there are any.
 *   <li>In a crowd callers do not write at all: the first writer thread does nothing else, and each write carries more.
 *   <li>Virtual threads and asynchronous callers never write: they wake a writer.
 *   <li>Deferred appends ride along. If nothing comes to ride with, the first writer, which looks every
 *       {@value #IDLE_TICK_MILLIS} ms, writes them.
 * </ul>
 *
 * <p>In a crowd, where {@link YieldTrial} has found that it pays, the writer gives its turn on the processor away before it takes
 * the queue, so that those of the last batch can queue their next append: a wait for the cohort without a timer. A platform
 * thread that has to wait gives its turn away, too, as often as {@link CrowdPolicy} says, and sleeps only if its append is
 * still not on disk then. Others have work to do meanwhile, and most are never put to sleep and woken, which would cost as much
 * as the whole commit does in memory.
 *
 * <p>No wake-up is lost: a caller looks for a permit after it has pushed, and a writer looks at the queue after it has
 * returned its permit, so one of the two sees the other.
 *
 * <h2>Order</h2>
 *
 * Taking the queue and giving places is one step, under the layout lock: the order of the log is the order of the queue,
 * whatever order the writes end in. A barrier succeeds when every batch with appends queued before it is on disk.
 *
 * <h2>Failing stop</h2>
 *
 * The first write that fails seals the queue. Its own appends have an unknown outcome, and so has every batch in flight
 * that comes back after it; what was still queued is not written, and says so; every later push throws. Nothing is
 * written or forced again.
 */
public final class GroupCommit {
    /** How often appends that nobody waits for are looked after, milliseconds. */
    public static final int IDLE_TICK_MILLIS = 50;

    private static final long IDLE_TICK_NANOS = IDLE_TICK_MILLIS * 1_000_000L;
    private static final int IDLE_TICKS_BEFORE_SLEEP = 20;

    private final RecordLog log;
    private final NanoClock clock;
    private final StatisticsRecorder statistics;
    private final Consumer<Append> forget;
    private final AppendQueue queue = new AppendQueue();
    private final WritePermits permits;
    private final Writer[] writers;
    private final YieldTrial yielding;
    private final AtomicReference<StoreException> failure = new AtomicReference<>();

    private final ReentrantLock layout = new ReentrantLock();
    // All guarded by the layout lock; carry is also read without it, to see whether there is work.
    private volatile Append carry;
    private long taken;
    private long durableTaken;
    private long durableSequence;
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private final ArrayList<Waiting> barriers = new ArrayList<>();

    private record Waiting(Append barrier, long target) {}

    /** A batch on its way, or landed behind another that is. */
    private static final class Flight {
        final RecordLog.Batch batch;
        final long takenAtEnd;
        boolean landed;

        Flight(RecordLog.Batch batch, long takenAtEnd) {
            this.batch = batch;
            this.takenAtEnd = takenAtEnd;
        }
    }

    /**
     * A group commit over this log. {@link #start} starts its threads.
     *
     * @param waiting how threads wait for a write
     * @param forget takes the removals that the index holds, once they are on disk
     */
    public GroupCommit(
            RecordLog log,
            WaitStrategy waiting,
            NanoClock clock,
            StatisticsRecorder statistics,
            Consumer<Append> forget) {
        this.log = log;
        this.clock = clock;
        this.statistics = statistics;
        this.forget = forget;
        this.permits = new WritePermits(
                log.writesInFlight(),
                CrowdPolicy.of(waiting, Runtime.getRuntime().availableProcessors()));
        this.yielding = new YieldTrial(clock.nanoTime());
        this.writers = new Writer[log.writesInFlight()];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = new Writer(i);
        }
    }

    /** Starts the writer threads. */
    public void start() {
        for (Writer writer : writers) {
            writer.start();
        }
    }

    /**
     * Queues an append; its outcome comes later. Under the index' lock of its key, so that appends of one key are queued
     * in the order in which they supersede each other. Never waits.
     *
     * @throws StoreException the queue is sealed; the append will not be written
     */
    public void push(Append append) {
        // The failure is known before the queue is sealed: nobody may push after having heard of it.
        if (failure.get() != null || !queue.push(append)) {
            throw refusal();
        }
    }

    /** Runs what pushes appends that are to be laid out side by side: no batch is taken meanwhile. */
    public void pushTogether(Runnable pushes) {
        layout.lock();
        try {
            pushes.run();
        } finally {
            layout.unlock();
        }
    }

    /** To be called after {@link #push} of a deferred append, whatever locks are held. */
    public void pushedDeferred() {
        writers[0].rouseFromSleep();
    }

    /** To be called after {@link #push} of an append that will be waited for by a future, without locks. */
    public void pushedAsync() {
        if (permits.isFree()) {
            rouseWriter();
        }
    }

    /**
     * Returns when the append, which is not a deferred one, is on disk, writing by itself where that is quickest. Keeps
     * waiting through interrupts, and leaves the interrupt flag set.
     *
     * @throws StoreException what became of it instead
     */
    public void await(Append append) {
        boolean interrupted = false;
        boolean isPlatform = !VirtualThreads.isCurrentVirtual();
        int yields = isPlatform && yielding.isWorthwhile() ? permits.yieldsOfWaiter() : 0;
        try {
            while (!append.isSettled()) {
                if (hasUrgent() && permits.isFree()) {
                    if (!isPlatform || permits.isCrowded()) {
                        rouseWriter();
                    } else if (permits.tryTake()) {
                        writeOneBatch();
                        continue;
                    }
                }
                if (yields > 0) {
                    yields--;
                    Thread.yield();
                    continue;
                }
                append.park(this);
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (append.isFailed()) {
            throw asThrownHere(append.failure());
        }
    }

    /** Returns when everything pushed before is on disk. */
    public void force() {
        Append barrier = Append.barrier();
        push(barrier);
        await(barrier);
    }

    /** Why nothing is written any more; empty while all is well. */
    public Optional<StoreException> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** Ends the group commit as a failed write would: for what a writer thread cannot see, such as a lost directory. */
    public void failStop(Throwable cause) {
        fail(cause);
    }

    /**
     * Writes what is queued, refuses what comes later, and ends the writer threads.
     *
     * @throws StoreException something queued may not be on disk
     */
    public void close() {
        try {
            // Throws if the store has failed: what was deferred then may not be on disk, and perhaps nobody was told
            // yet.
            do {
                force();
            } while (!sealIfIdle());
        } finally {
            for (Writer writer : writers) {
                writer.end();
            }
        }
    }

    private boolean sealIfIdle() {
        layout.lock();
        try {
            return carry == null && flights.isEmpty() && queue.sealIfEmpty();
        } finally {
            layout.unlock();
        }
    }

    private boolean hasUrgent() {
        return carry != null || queue.hasUrgent();
    }

    private boolean hasAny() {
        return carry != null || !queue.isEmpty();
    }

    /** Writes one batch with the permit that this thread holds, and returns the permit. */
    private void writeOneBatch() {
        Flight flight = null;
        Throwable trouble = null;
        try {
            flight = take();
            if (flight != null) {
                long begun = clock.nanoTime();
                StoreEvents.Force force = statistics.events().beginForce();
                log.write(flight.batch);
                force.succeeded(flight.batch.count(), flight.batch.bytes());
                statistics.forcedBetween(flight.batch.count(), begun, clock.nanoTime());
                statistics.bytesWritten(flight.batch.bytes());
            }
        } catch (Throwable thrown) { // whatever it is, the outcome of the batch is unknown and somebody waits for it
            trouble = thrown;
        }
        if (trouble != null) {
            fail(trouble);
        }
        List<Append> released = flight == null ? List.of() : land(flight, trouble == null);
        permits.giveBack(flight == null ? 0 : flight.batch.count());
        if (hasUrgent() && !(Thread.currentThread() instanceof Writer)) {
            rouseWriter();
        }
        if (flight != null) {
            settle(flight.batch);
        }
        released.forEach(Append::succeed);
    }

    /** Takes what is queued and lays the first batch of it out; null where there is nothing to write. */
    private Flight take() throws IOException {
        layout.lock();
        try {
            if (failure.get() != null) {
                return null;
            }
            if (carry == null) {
                carry = withoutBarriers(queue.takeAll());
            }
            if (carry == null) {
                releaseBarriers().forEach(Append::succeed);
                return null;
            }
            RecordLog.Batch batch = log.layOut(carry);
            carry = batch.rest();
            permits.use(batch.count());
            taken += batch.count();
            Flight flight = new Flight(batch, taken);
            flights.add(flight);
            return flight;
        } finally {
            layout.unlock();
        }
    }

    /** Notes which appends each barrier waits for, and returns the chain without the barriers. */
    private Append withoutBarriers(Append chain) {
        Append first = null;
        Append last = null;
        long before = taken;
        for (Append append = chain; append != null; ) {
            Append next = append.next();
            if (append.isBarrier()) {
                barriers.add(new Waiting(append, before));
            } else {
                before++;
                if (last == null) {
                    first = append;
                } else {
                    last.setNext(append);
                }
                last = append;
            }
            append = next;
        }
        if (last != null) {
            last.setNext(null);
        }
        return first;
    }

    /** Notes that a batch is on disk, unless the store has failed; returns the barriers that waited for it. */
    private List<Append> land(Flight flight, boolean written) {
        layout.lock();
        try {
            if (!written || failure.get() != null) {
                return List.of();
            }
            flight.landed = true;
            while (!flights.isEmpty() && flights.peek().landed) {
                Flight first = flights.poll();
                durableTaken = first.takenAtEnd;
                durableSequence = first.batch.sequence();
            }
            log.durable(flight.batch, durableSequence);
            yielding.landed(flight.batch.count(), permits.isCrowded(), clock.nanoTime());
            return releaseBarriers();
        } finally {
            layout.unlock();
        }
    }

    private List<Append> releaseBarriers() {
        if (barriers.isEmpty()) {
            return List.of();
        }
        List<Append> released = new ArrayList<>();
        barriers.removeIf(waiting -> {
            if (waiting.target > durableTaken) {
                return false;
            }
            released.add(waiting.barrier);
            return true;
        });
        return released;
    }

    private void settle(RecordLog.Batch batch) {
        StoreException failed = failure.get();
        Append append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            Append next = append.next();
            append.setNext(null); // a version that lives long must not hold all that came after it
            if (failed != null) {
                append.fail(unknown(failed));
            } else {
                if (append.isInIndex()) {
                    forget.accept(append);
                }
                append.succeed();
            }
            append = next;
        }
    }

    private void fail(Throwable cause) {
        StoreFailedException failed = new StoreFailedException(
                "the store has failed stop after: " + cause
                        + "; nothing was written by this operation. Close the store, mend the cause, and open it again:"
                        + " recovery tells what is on disk",
                cause);
        if (!failure.compareAndSet(null, failed)) {
            return;
        }
        System.getLogger(GroupCommit.class.getName())
                .log(System.Logger.Level.ERROR, "TALLY0301 a journal write failed; the store has failed stop", cause);
        statistics.events().failed(cause);
        List<Append> unwritten = new ArrayList<>();
        List<Append> unknown = new ArrayList<>();
        layout.lock();
        try {
            for (Append append = carry; append != null; append = append.next()) {
                unwritten.add(append);
            }
            for (Append append = queue.sealAndTake(); append != null; append = append.next()) {
                (append.isBarrier() ? unknown : unwritten).add(append);
            }
            carry = null;
            barriers.forEach(waiting -> unknown.add(waiting.barrier));
            barriers.clear();
        } finally {
            layout.unlock();
        }
        unwritten.forEach(append -> append.fail(failed));
        unknown.forEach(append -> append.fail(unknown(failed)));
    }

    private static OutcomeUnknownException unknown(StoreException failed) {
        return new OutcomeUnknownException(
                "the outcome of this operation is unknown, because a journal write failed while it was in flight: "
                        + failed.getCause()
                        + "; do not take it for a rollback. Close the store, mend the cause, and open it again: recovery"
                        + " tells what is on disk",
                failed.getCause());
    }

    private StoreException refusal() {
        StoreException failed = failure.get();
        return failed != null
                ? asThrownHere(failed)
                : new StoreClosedException("the store is closed; open it again to use it");
    }

    /** The same exception with the stack of the thread that gets it. */
    private static StoreException asThrownHere(StoreException settled) {
        if (settled instanceof OutcomeUnknownException) {
            return new OutcomeUnknownException(settled.getMessage(), settled.getCause());
        }
        if (settled instanceof StoreFailedException) {
            return new StoreFailedException(settled.getMessage(), settled.getCause());
        }
        return settled;
    }

    private void rouseWriter() {
        if (permits.isCrowded()) {
            writers[0].rouse();
            return;
        }
        for (Writer writer : writers) {
            if (writer.rouse()) {
                return;
            }
        }
    }

    /** Writes while there is urgent work, and looks after the deferred appends if it is the first. */
    private final class Writer extends Thread {
        private static final int RUNNING = 0;
        private static final int PARKED = 1;
        private static final int SLEEPING = 2;

        private final boolean looksAfterDeferred;
        private final AtomicInteger rest = new AtomicInteger(RUNNING);
        private volatile boolean ended;

        Writer(int index) {
            super("tallystick-journal-writer-" + index);
            setDaemon(true);
            this.looksAfterDeferred = index == 0;
        }

        /** Nobody but {@link #end} ends this thread. */
        @Override
        public void interrupt() {
            // an interrupt is none of its business
        }

        @Override
        public void run() {
            int idleTicks = 0;
            while (!ended) {
                if (hasUrgent() && permits.tryTake()) {
                    for (int yields = yielding.isWorthwhile() ? permits.yieldsOfWriter() : 0; yields > 0; yields--) {
                        Thread.yield(); // those of the last batch are about to push
                    }
                    writeOneBatch();
                    idleTicks = 0;
                } else if (looksAfterDeferred && idleTicks < IDLE_TICKS_BEFORE_SLEEP) {
                    boolean ticked = restFor(IDLE_TICK_NANOS);
                    if (ticked && hasAny() && permits.tryTake()) {
                        writeOneBatch();
                        idleTicks = 0;
                    } else if (ticked) {
                        idleTicks++;
                    }
                } else {
                    restUntilRoused();
                    idleTicks = 0;
                }
            }
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
            boolean interrupted = false;
            while (isAlive() && this != Thread.currentThread()) {
                try {
                    join();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** Returns true when the time was up, false when somebody roused this thread. */
        private boolean restFor(long nanos) {
            rest.set(PARKED);
            long begun = System.nanoTime();
            long left = nanos;
            while (left > 0 && rest.get() == PARKED && !ended && !mayWriteNow()) {
                LockSupport.parkNanos(GroupCommit.this, left);
                left = nanos - (System.nanoTime() - begun);
            }
            return rest.getAndSet(RUNNING) == PARKED && left <= 0;
        }

        private void restUntilRoused() {
            rest.set(looksAfterDeferred ? SLEEPING : PARKED);
            while (rest.get() != RUNNING && !ended && !mayWriteNow() && !(looksAfterDeferred && hasAny())) {
                LockSupport.park(GroupCommit.this);
            }
            rest.set(RUNNING);
        }

        private boolean mayWriteNow() {
            return hasUrgent() && permits.isFree();
        }
    }
}

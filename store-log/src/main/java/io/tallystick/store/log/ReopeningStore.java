package io.tallystick.store.log;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.CauseText;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.StackRoom;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store on another machine that serves again after an outage, in the same process.
 *
 * <h2>States</h2>
 *
 * <pre>
 *                  a write waits longer than the patience
 *   serving  ----------------------------------------------->  recovering
 *      ^                                                          |    |
 *      |   the log is its own, has all that was acknowledged,     |    |  the log is lost, another's or damaged;
 *      +---and each batch that was out is settled  ---------------+    |  or anything else than an outage
 *                                                                      v
 *                                                                   failed, for ever
 * </pre>
 *
 * <p>One thread moves the states. It looks at the {@link LogStore} that serves now. When that one has failed by an
 * outage, the thread has it end all its writes, and tries to open the log anew as often as is needed. The opening takes
 * the log with a later epoch. So no statement of the failed store can reach the log any more, and what is read then is
 * all that there will ever be of it. {@link Reconciliation} compares that with the memory of the failed store.
 *
 * <h2>Callers while it is recovering</h2>
 *
 * <ul>
 *   <li>A mutation and {@code force} are refused at once with {@link StoreFailedException}: nothing was written.
 *   <li>Reads go on from the memory of the failed store. {@code proveOwned} refuses: what is out is not settled.
 *   <li>A caller whose outcome is unknown hears so, as from any store that fails. Where callers are held, because the
 *   process would end, it waits until its operation is settled, and then hears how it ended. Only callers that were
 *   waiting when the store failed are held, so their threads are no more than that.
 *   <li>{@code close} ends the thread after its current try. Callers that are held then hear that nobody knows.
 * </ul>
 *
 * <p>Where callers are not held, states are {@linkplain StatesAside set aside}.
 */
public final class ReopeningStore implements ObjectStore {
    private static final System.Logger LOG = System.getLogger(ReopeningStore.class.getName());
    private static final long LOOK_NANOS = Duration.ofMillis(500).toNanos();
    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int STACK_TIMES = 5;

    private final Reopener reopener;
    private final OutageMessages messages;
    private final boolean holdsUnknown;
    private final NanoClock clock;
    private final Thread thread;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final StatesAside aside = new StatesAside();

    // Written by the thread only, after the opening.
    private volatile Opening opening;
    // Why it does not serve again, by the thread, before it says so.
    private volatile @Nullable Throwable end;
    private volatile boolean isOver;

    private volatile boolean isDraining;
    private volatile boolean isEnded;

    /** Opens a log anew after an outage. By one thread. */
    public interface Reopener {
        /** Whether a store that failed for this reason may serve again. */
        boolean isOutage(Throwable cause);

        /**
         * Opens the log, if it is still that of this process.
         *
         * @param failed has ended its writes; it stays the caller's
         * @return empty if it does not work yet
         * @throws IOException the log is lost, or another's
         * @throws StoreException the log must not be opened
         */
        Optional<Reopened> tryReopen(LogStore failed) throws IOException;

        /** Why the last try did not work; empty before the first one. */
        String obstacle();

        /** The place in messages to users. */
        String place();
    }

    /**
     * A log that was opened anew.
     *
     * @param store serves now
     * @param settled what became of what the store before had under way
     */
    public record Reopened(LogStore store, Reconciliation settled) {}

    /** One opening of the log, from its beginning to its outage. */
    private static final class Opening {
        private final LogStore store;
        private final CountDownLatch isSettled = new CountDownLatch(1);
        // Null where nobody knows. Written before the latch opens.
        private volatile @Nullable Reconciliation settled;

        Opening(LogStore store) {
            this.store = store;
        }
    }

    private ReopeningStore(LogStore first, Reopener reopener, boolean holdsUnknown, NanoClock clock) {
        this.opening = new Opening(first);
        this.reopener = reopener;
        this.messages = new OutageMessages(reopener);
        this.holdsUnknown = holdsUnknown;
        this.clock = clock;
        this.thread = StoreThread.of(this::run, "tallystick-reopening");
    }

    /**
     * Serves from this store, and reopens it after outages. If this throws, the store is closed.
     *
     * @param holdsUnknown whether callers whose outcome is unknown wait until it is known
     */
    public static ObjectStore over(LogStore first, Reopener reopener, boolean holdsUnknown, NanoClock clock) {
        ReopeningStore store = new ReopeningStore(first, reopener, holdsUnknown, clock);
        boolean isStarted = false;
        try {
            store.thread.start();
            isStarted = true;
            return store;
        } finally {
            if (!isStarted) {
                first.close();
            }
        }
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        change(key, store -> {
            store.write(key, state, durability);
            return true;
        });
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        if (closed.get()) {
            return CompletableFuture.failedStage(LogStore.closedIn(reopener.place()));
        }
        Opening now = opening;
        if (isRecovering(now)) {
            return CompletableFuture.failedStage(messages.recovering(causeOf(now)));
        }
        try {
            CompletionStage<Void> written = now.store.writeAsync(key, state);
            return aside.isEmpty() ? written : written.thenRun(() -> aside.takeBack(key));
        } finally {
            now.store.forgetQueued();
        }
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return change(key, store -> store.remove(key, durability));
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        change(key, store -> {
            store.writeShadow(key, state, durability);
            return true;
        });
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return change(key, store -> store.commitShadow(key, durability));
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return change(key, store -> store.discardShadow(key, durability));
    }

    @Override
    public boolean hide(StateKey key) {
        return change(key, store -> store.hide(key));
    }

    @Override
    public boolean reveal(StateKey key) {
        return change(key, store -> store.reveal(key));
    }

    @Override
    public void force() {
        Opening now = serving();
        try {
            now.store.force();
        } catch (OutcomeUnknownException unknown) {
            if (!isHeld(now) || awaitSettled(now) == null) {
                throw told(now, unknown);
            }
            force(); // what was deferred before is deferred again
        } catch (StoreFailedException refused) {
            throw told(now, refused);
        }
    }

    /** Changes a state; answers whether that has changed anything. */
    private boolean change(StateKey key, Predicate<LogStore> operation) {
        Opening now = serving();
        try {
            boolean isChanged = operation.test(now.store);
            if (isChanged) {
                aside.takeBack(key);
            }
            return isChanged;
        } catch (OutcomeUnknownException unknown) {
            if (!isHeld(now)) {
                throw told(now, unknown);
            }
            PendingAppend own = now.store.lastFailed();
            if (own != null) {
                checkWritten(now, own, unknown);
                return true;
            }
            if (awaitSettled(now) == null) {
                throw unknown;
            }
        } catch (StoreFailedException refused) {
            throw told(now, refused);
        } finally {
            now.store.forgetQueued();
        }
        return change(key, operation); // it had nothing of its own under way: what it relied on is settled
    }

    /**
     * The opening for a caller. Closing waits for a try to open the log, and meanwhile a store of whose close a caller
     * has returned must not serve.
     */
    private Opening serving() {
        if (closed.get()) {
            throw LogStore.closedIn(reopener.place());
        }
        return opening;
    }

    private boolean isHeld(Opening now) {
        return holdsUnknown && hasOutage(now);
    }

    /** Whether this opening has ended with an outage after which the store serves, or may serve, again. */
    private boolean hasOutage(Opening now) {
        return isRecovering(now) || now.settled != null;
    }

    /** Waits until it is known what became of an operation, and throws unless it was written. */
    private void checkWritten(Opening failed, PendingAppend own, OutcomeUnknownException unknown) {
        Reconciliation settled = awaitSettled(failed);
        if (settled == null) {
            throw unknown;
        }
        if (!settled.isWritten(own)) {
            throw messages.notWritten(unknown);
        }
    }

    /** Null if nobody knows what became of it. */
    private static @Nullable Reconciliation awaitSettled(Opening failed) {
        UninterruptedWait.through(failed.isSettled::await);
        return failed.settled;
    }

    private StoreException told(Opening now, OutcomeUnknownException unknown) {
        return hasOutage(now) ? messages.unknown(unknown) : unknown;
    }

    private StoreException told(Opening now, StoreFailedException refused) {
        if (hasOutage(now)) {
            return messages.recovering(refused.getCause());
        }
        return ending(now).orElse(refused);
    }

    /** Why this store does not serve again; empty if it may, or if its failure was no outage. */
    private Optional<StoreException> ending(Opening now) {
        Throwable why = end;
        if (why == null && hasFailedByOutage(now)) { // a beat has noticed a loss, and the thread has not looked yet
            why = now.store.loss().orElse(null);
        }
        if (why == null) {
            return Optional.empty();
        }
        String text = "the store does not serve again after an outage: " + CauseText.of(why)
                + "; nothing was written by this operation. End this process";
        return Optional.of(
                why instanceof StoreFencedException
                                || why instanceof RecordLog.NotWrittenException proof && proof.isFenced()
                        ? new StoreFencedException(text, why)
                        : new StoreFailedException(text, why));
    }

    private boolean isRecovering(Opening now) {
        return !isOver && !isEnded && now.store.loss().isEmpty() && hasFailedByOutage(now);
    }

    private boolean hasFailedByOutage(Opening now) {
        Throwable cause = causeOf(now);
        return cause != null && reopener.isOutage(cause);
    }

    /** Why the store of this opening has failed; null if it has not, or for no reason. */
    private static @Nullable Throwable causeOf(Opening failed) {
        return failed.store.failureCause().orElse(null);
    }

    /** Asked after the opening was taken: what it has set aside was set aside before it served. */
    private boolean isAside(StateKey key, LogStore store) {
        boolean isAside = aside.has(key);
        if (isAside) {
            store.checkMayTell();
        }
        return isAside;
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        LogStore store = serving().store;
        return isAside(key, store) ? Optional.empty() : store.read(key);
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        LogStore store = serving().store;
        return isAside(key, store) ? Optional.empty() : store.readShadow(key);
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        LogStore store = serving().store;
        return isAside(key, store) ? StateStatus.ABSENT : store.statusOf(key);
    }

    @Override
    public Set<String> types() {
        Set<String> types = serving().store.types();
        for (String type : aside.isEmpty() ? Set.<String>of() : Set.copyOf(types)) {
            if (keys(type, 1).isEmpty()) {
                types.remove(type);
            }
        }
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        return keys(type, Integer.MAX_VALUE);
    }

    @Override
    public List<StateKey> keys(String type, int atMost) {
        LogStore store = serving().store;
        return aside.isEmpty() ? store.keys(type, atMost) : aside.without(store.keys(type), atMost);
    }

    /** {@inheritDoc} States that are set aside count: a log that has one is not empty. */
    @Override
    public Map<String, Integer> countByType() {
        return serving().store.countByType();
    }

    @Override
    public void proveOwned() {
        Opening now = serving();
        now.store.proveOwned();
        if (opening != now || hasFailedByOutage(now) && now.settled == null) {
            throw new StoreIoException(
                    "it is not proven that the log of " + reopener.place() + " has nothing more: "
                            + "the store is recovering from an outage of its database, and what was under way is not"
                            + " settled",
                    null);
        }
    }

    @Override
    public StoreDescription description() {
        return opening.store.description();
    }

    @Override
    public StoreStatistics statistics() {
        return opening.store.statistics();
    }

    @Override
    public LossMarking lossMarking() {
        return opening.store.lossMarking();
    }

    @Override
    public Optional<StoreException> failure() {
        Opening now = opening;
        Optional<StoreException> failure = now.store.failure();
        if (failure.isPresent() && isRecovering(now)) {
            return Optional.of(messages.recovering(failure.get().getCause()));
        }
        return failure.isPresent() ? ending(now).or(() -> failure) : failure;
    }

    @Override
    public StoreHealth health() {
        Opening now = opening;
        StoreHealth health = now.store.health();
        if (health.state() != StoreHealth.State.FAILED || closed.get()) {
            return health;
        }
        return new StoreHealth(
                isRecovering(now) ? StoreHealth.State.RECOVERING : StoreHealth.State.FAILED,
                failure(),
                health.lockHeld(),
                health.lastForceAge(),
                health.usableBytes(),
                health.oldestRecordAge(),
                health.storeId(),
                health.nodeId());
    }

    @Override
    public void setDraining(boolean draining) {
        isDraining = draining;
        opening.store.setDraining(draining);
    }

    @Override
    public void close() {
        StackRoom.check(STACK_TIMES);
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        isEnded = true;
        LockSupport.unpark(thread);
        UninterruptedWait.join(thread);
        opening.store.close();
    }

    private void run() {
        try {
            while (!isEnded && !isOver) {
                Opening now = opening;
                if (now.store.failure().isPresent()) { // first: it may come at any moment
                    if (isRecovering(now)) {
                        recover(now);
                    } else {
                        isOver = true;
                    }
                }
                pause(LOOK_NANOS);
            }
        } finally {
            isOver = true;
            opening.isSettled.countDown();
        }
    }

    private void pause(long nanos) {
        if (!isEnded && !isOver) {
            LockSupport.parkNanos(this, nanos);
            Thread.interrupted(); // with the flag set it would not pause any more
        }
    }

    private void recover(Opening failed) {
        long begun = clock.nanoTime();
        FailureLog.tell(
                LOG,
                System.Logger.Level.WARNING,
                "TALLY0340 the store in " + reopener.place() + " is recovering: " + CauseText.of(causeOf(failed))
                        + ". It goes on looking for its database, and serves again when its log is found whole",
                null);
        try {
            failed.store.retire();
            while (!isEnded) {
                Optional<Throwable> loss = failed.store.loss();
                if (loss.isPresent()) { // a lane or a beat has found out
                    endWith(failed, loss.get());
                    return;
                }
                Optional<Reopened> reopened = reopener.tryReopen(failed.store);
                if (reopened.isPresent() && resumes(failed, reopened.get(), begun)) {
                    return;
                }
                pause(RETRY_NANOS);
            }
        } catch (IOException | RuntimeException | Error refused) {
            endWith(failed, refused);
        }
    }

    /**
     * Serves from a log that was opened anew, when what readers of the failed store have seen is on disk.
     *
     * @return whether it serves; false after another outage
     */
    private boolean resumes(Opening failed, Reopened reopened, long begun) throws IOException {
        LogStore next = reopened.store();
        Reconciliation settled = reopened.settled();
        Opening serving;
        String told;
        String toldOfAside = "";
        try {
            next.repeat(failed.store, settled.seen());
            if (!holdsUnknown) {
                toldOfAside = aside.add(settled.madeByUnknown(), reopener.place());
            }
            next.setDraining(isDraining);
            serving = new Opening(next);
            told = "TALLY0341 the store in " + reopener.place() + " serves again after "
                    + Duration.ofNanos(clock.nanoTime() - begun).toMillis() + " ms: " + settled;
        } catch (RuntimeException | Error failing) {
            if (hasEndedByOutage(next)) {
                return false;
            }
            throw failing;
        }
        opening = serving;
        next.setDraining(isDraining); // it may have changed meanwhile
        failed.settled = settled;
        failed.isSettled.countDown();
        FailureLog.tell(LOG, System.Logger.Level.INFO, told, null);
        if (!toldOfAside.isEmpty()) {
            FailureLog.tell(LOG, toldOfAside, null);
        }
        return true;
    }

    /**
     * Ends a store that was opened anew and must not serve. The log stays this process's.
     *
     * @return whether it has met another outage, and nothing worse
     * @throws IOException it has found the log to be lost, or another's
     */
    private boolean hasEndedByOutage(LogStore unfit) throws IOException {
        unfit.retire();
        Optional<Throwable> loss = unfit.loss();
        if (loss.isPresent()) {
            throw loss.get() instanceof IOException noticed ? noticed : new IOException(loss.get());
        }
        Throwable cause = unfit.failureCause().orElse(null);
        return cause != null && reopener.isOutage(cause);
    }

    private void endWith(Opening failed, Throwable why) {
        end = Objects.requireNonNull(why);
        isOver = true;
        failed.store.failStop(why);
        FailureLog.tell(
                LOG,
                "TALLY0343 the store in " + reopener.place() + " does not serve again after an outage: "
                        + CauseText.of(why) + ". End this process",
                why);
    }
}

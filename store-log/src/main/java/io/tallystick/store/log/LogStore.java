package io.tallystick.store.log;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.PlaceLostException;
import io.tallystick.storage.PlaceWatch;
import io.tallystick.storage.UsedFile;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.log.commit.GroupCommit;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.HealthCheck;
import io.tallystick.store.spi.StackRoom;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.TypeCounts;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store whose transactions share their syncs.
 *
 * <p>The index maps each key to its latest {@link PendingAppend}: a version that is on disk, or on its way there. A
 * version on its way leads to the version before it. A reader follows that chain to the first version that it may see.
 * So nothing is published when a batch lands: an append that succeeds is visible by that alone. Every version is a
 * whole image of its key, so no record depends on another one.
 *
 * <p>A mutation is made ready without any lock: image, record, checksum. Then it is queued under the index' lock of its
 * key, if the version that it was made from is still the latest. Otherwise it is made ready again.
 *
 * <p>A mutation first looks for {@link StackRoom}: a caller whose stack is too full for all of it gets its
 * {@link StackOverflowError} before anything is queued.
 */
public final class LogStore implements ObjectStore {
    /** Closing loads classes, ends threads and writes a mark: it needs this many times the stack of a commit. */
    private static final int CLOSING_STACK_TIMES = 4;

    private final RecordLog log;
    private final GroupCommit commits;
    private final StageCompleter stages;
    private final RecordEncoder encoder;
    private final LogHome home;
    private final StoreDescription description;
    private final StatisticsRecorder statistics;
    private final TypeCounts counts = new TypeCounts();
    private final NanoClock clock;
    private final HealthCheck healthCheck = new HealthCheck(this);
    private final int maxStateBytes;
    private final ConcurrentHashMap<StateKey, Version> index;
    private final AtomicBoolean closed = new AtomicBoolean();
    // Both are null where the log is on this machine: such a store never serves again.
    // What each thread has queued last.
    private final @Nullable ThreadLocal<PendingAppend> queued;
    // How many callers may stand between the queue and the index.
    private final @Nullable AtomicInteger steps;
    // Its threads have ended after a failure, and what is in memory can be read still.
    private volatile boolean retired;
    // What a store after this one may have repeated. By the thread that reopens.
    private final Set<StateKey> repeated = new HashSet<>();
    // Set by the opening thread, after the log's housekeeping has begun.
    private volatile Optional<PlaceWatch> watch = Optional.empty();

    private LogStore(RecordLog log, ConcurrentHashMap<StateKey, Version> index, LogHome home, LogSettings settings) {
        this.log = log;
        this.index = index;
        this.home = home;
        this.description = settings.description();
        this.statistics = settings.statistics();
        this.clock = settings.clock();
        this.maxStateBytes = settings.maxStateBytes();
        this.encoder = new RecordEncoder(settings.storeId());
        this.queued = log.isRemote() ? new ThreadLocal<>() : null;
        this.steps = log.isRemote() ? new AtomicInteger() : null;
        this.stages = new StageCompleter(settings.threadName() + "-stages", settings.completionExecutor());
        this.commits = new GroupCommit(
                log,
                settings.waitStrategy(),
                clock,
                statistics,
                stages,
                removal -> index.remove(removal.key(), removal));
    }

    /**
     * Opens a store over a log that has recovered: starts the writers, and has the log start its housekeeping. If this
     * throws, log and threads have ended, and nothing that was stored is changed; the home is still the caller's.
     *
     * @param index the latest version of each key; the store's from now on
     * @param home where the log lies; given up when the store is closed
     * @param recovery hears when the store is ready
     * @throws IOException the log refuses to start
     */
    public static LogStore open(
            RecordLog log,
            ConcurrentHashMap<StateKey, Version> index,
            LogHome home,
            LogSettings settings,
            StoreEvents.Recovery recovery)
            throws IOException {
        GroupCommit running = null;
        try {
            LogStore store = new LogStore(log, index, home, settings);
            long bytes = 0;
            for (Version version : index.values()) {
                bytes += version.stateBytes();
                store.counts.changed(version.key(), 1);
            }
            store.statistics.recordsChanged(index.size());
            store.statistics.bytesChanged(bytes);
            recovery.ended(index.size(), bytes);
            store.commits.start();
            running = store.commits;
            log.start(store.new IndexRewriter());
            store.watch = home.watch(store.new WatchedPlace());
            store.watch.ifPresent(place -> store.commits.checkBy(place::checkAfterStandstill));
            return store;
        } catch (OutcomeUnknownException | StoreFailedException failed) {
            giveUp(running, log, failed);
            throw new IOException(failed.getCause());
        } catch (IOException | RuntimeException | Error failed) {
            giveUp(running, log, failed);
            throw failed;
        }
    }

    /** Ends the threads and closes the files of an opening that failed, before the directory is let go. */
    private static void giveUp(@Nullable GroupCommit runningOrNull, RecordLog log, Throwable why) {
        try {
            if (runningOrNull != null) {
                runningOrNull.close();
            }
        } catch (RuntimeException | Error alsoFailed) {
            addSuppressed(why, alsoFailed);
        }
        try {
            log.close();
        } catch (IOException | RuntimeException | Error alsoFailed) {
            addSuppressed(why, alsoFailed);
        }
    }

    private static void addSuppressed(Throwable why, Throwable alsoFailed) {
        if (alsoFailed != why) {
            why.addSuppressed(alsoFailed);
        }
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        commits.followUp(queueWrite(key, state, deferred, null));
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        StageCompleter.Stage written = stages.newStage();
        try {
            commits.followUp(queueWrite(key, state, false, written));
        } catch (StoreException refused) {
            return CompletableFuture.failedStage(refused);
        }
        return written;
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        boolean removed = removePlain(key, durability)
                || mutate(key, StateImage::remove, durability).changed();
        if (removed) {
            statistics.removed();
        }
        return removed;
    }

    @Override
    public void force() {
        checkOpen();
        commits.force();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        byte[] copy = checkedState(key, state).clone();
        mutate(key, image -> image.writeShadow(copy), durability);
        statistics.written();
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        boolean committed = mutate(key, StateImage::commitShadow, durability).changed();
        if (committed) {
            statistics.written();
        }
        return committed;
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        boolean discarded = mutate(key, StateImage::discardShadow, durability).changed();
        if (discarded) {
            statistics.removed();
        }
        return discarded;
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return counted(visibleImage(key).filter(image -> !image.isHidden()).map(StateImage::shadow));
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return counted(visibleImage(key).filter(image -> !image.isHidden()).map(StateImage::committed));
    }

    @Override
    public Set<String> types() {
        checkOpen();
        Set<String> types = new HashSet<>();
        index.forEach((key, latest) -> {
            if (Visibility.statusOf(latest) != StateStatus.ABSENT) {
                types.add(key.type());
            }
        });
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        return keys(type, Integer.MAX_VALUE);
    }

    @Override
    public List<StateKey> keys(String type, int atMost) {
        Objects.requireNonNull(type, "type");
        checkOpen();
        return index.entrySet().stream()
                .filter(entry -> entry.getKey().type().equals(type)
                        && Visibility.statusOf(entry.getValue()) != StateStatus.ABSENT)
                .map(Map.Entry::getKey)
                .limit(atMost)
                .toList();
    }

    @Override
    public Map<String, Integer> countByType() {
        checkOpen();
        return counts.snapshot();
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        StateStatus status = Visibility.statusOf(index.get(key));
        if (status == StateStatus.ABSENT) {
            commits.checkNotLost();
        }
        return status;
    }

    @Override
    public LossMarking lossMarking() {
        return watch.map(place -> LossMarking.valueOf(place.marking().name())).orElseGet(home::lossMarking);
    }

    @Override
    public void proveOwned() {
        checkMayTell();
        try {
            if (watch.isPresent()) {
                watch.get().prove();
            } else if (!home.isOwned()) {
                throw new IOException(home.place() + " gives no answer");
            }
        } catch (IOException unproven) {
            throw new StoreIoException(
                    "it is not proven that the log is still this process' own: " + unproven.getMessage(), unproven);
        }
        checkMayTell(); // meanwhile it may have been closed, and been opened by another process
    }

    @Override
    public boolean hide(StateKey key) {
        return mutate(key, StateImage::hide, Durability.FORCED).found();
    }

    @Override
    public boolean reveal(StateKey key) {
        return mutate(key, StateImage::reveal, Durability.FORCED).found();
    }

    @Override
    public StoreDescription description() {
        return description;
    }

    @Override
    public StoreStatistics statistics() {
        return statistics.snapshot().with(home.remote());
    }

    @Override
    public Optional<StoreException> failure() {
        checkOpen();
        return commits.failure();
    }

    @Override
    public void setDraining(boolean draining) {
        healthCheck.setDraining(draining);
    }

    @Override
    public StoreHealth health() {
        if (!closed.get()) {
            watch.ifPresent(PlaceWatch::look);
        }
        long now = clock.nanoTime();
        return healthCheck.at(
                now,
                statistics.sinceLastForce(now),
                new HealthCheck.Place(home.isOwned(), home.usableBytes(), Optional.of(home.storeId()), home.nodeId()));
    }

    @Override
    public void close() {
        StackRoom.check(CLOSING_STACK_TIMES);
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (retired) {
                refuseIfFailed();
            }
            commits.close();
        } catch (RuntimeException | Error thrown) {
            try {
                closeFiles();
            } catch (RuntimeException alsoFailed) {
                thrown.addSuppressed(alsoFailed);
            }
            throw thrown;
        }
        closeFiles();
    }

    private void closeFiles() {
        try (home) {
            if (!retired) {
                endLog();
            }
        } catch (IOException trouble) {
            throw new StoreIoException(
                    "closing the store in " + home.place() + " failed: " + trouble.getMessage()
                            + "; everything acknowledged is on disk",
                    trouble);
        }
    }

    private void endLog() throws IOException {
        try {
            stages.close();
        } finally {
            log.close();
        }
    }

    /**
     * Ends the threads and the log of a store that has failed, when each of its batches has ended. Its callers are
     * told, and nothing more is written. What is in memory can be read still, and the home stays owned.
     */
    void retire() throws IOException {
        try {
            commits.close();
        } catch (StoreException failed) { // as it must have: this is for a store that has failed
        }
        endLog();
        retired = true;
    }

    /**
     * Compares what this store knows with what its log has now. After its writes have ended for ever: nothing can be
     * queued, and callers that stand between the queue and the index are waited for.
     */
    public Reconciliation compareWith(Map<StateKey, Version> found) {
        while (steps != null && steps.get() != 0) {
            Thread.yield(); // a thread that is about to show its version may need this processor
        }
        return Reconciliation.of(index, found, repeated);
    }

    /**
     * Writes what readers of the store before this one have seen, before this one has readers. It is on disk when this
     * returns: a forced change that was written beside it covers it.
     */
    void repeat(LogStore failed, Map<StateKey, Version> seen) {
        if (seen.isEmpty()) {
            return;
        }
        failed.repeated.addAll(seen.keySet());
        seen.forEach((key, version) -> {
            StateImage image = version == null ? StateImage.ABSENT : imageOf(version);
            PendingAppend append = queue(key, before -> image, true, null).append();
            if (append != null) {
                commits.followUp(append);
            }
        });
        commits.force();
    }

    /** Why this store has failed; empty if it has not, or for no reason. Also after it was closed. */
    Optional<Throwable> failureCause() {
        return commits.failure().map(Throwable::getCause);
    }

    /** Why the log is known to be another's, or gone; empty if it is not. */
    Optional<Throwable> loss() {
        return commits.loss();
    }

    /** Fails stop, for an error that no writer meets. */
    void failStop(Throwable cause) {
        commits.failStop(cause);
    }

    /** The way of nearly every write: the key holds nothing, or a plain committed value. */
    private PendingAppend queueWrite(
            StateKey key, byte[] state, boolean deferred, StageCompleter.@Nullable Stage written) {
        StackRoom.check();
        checkedState(key, state);
        PendingAppend append = ready(key, StateImage.ABSENT.write(state), deferred, written);
        append.markIndependent();
        boolean queued = queueIf(append, latest -> latest == null || latest.isTombstone() || latest.isPlainCommitted());
        if (!queued) {
            byte[] copy = state.clone();
            // A write that has changed nothing has queued nothing either; no image is the same after it.
            append = Objects.requireNonNull(
                    queue(key, image -> image.write(copy), deferred, written).append(), "a write queues an append");
        }
        statistics.written();
        return append;
    }

    /** The way of nearly every removal: the key holds a plain committed value, which need not be looked at. */
    private boolean removePlain(StateKey key, Durability durability) {
        StackRoom.check();
        Objects.requireNonNull(key, "key");
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        checkOpen();
        Version latest = index.get(key);
        if (latest == null || !latest.isPlainCommitted()) {
            return false;
        }
        PendingAppend append = ready(key, StateImage.ABSENT, deferred, null);
        if (!queueIf(append, now -> now == latest)) {
            return false;
        }
        commits.followUp(append);
        return true;
    }

    private MoveOutcome mutate(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        StackRoom.check();
        Objects.requireNonNull(key, "key");
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        checkOpen();
        MoveOutcome outcome = queue(key, move, deferred, null);
        PendingAppend append = outcome.append();
        if (append != null) {
            commits.followUp(append);
        } else {
            relyOn(outcome.unchanged(), deferred);
        }
        return outcome;
    }

    /** A move changes nothing because of this version: its caller must see it, and a forced one also after a crash. */
    private void relyOn(@Nullable Version latestOrNull, boolean deferred) {
        PendingAppend unseen = latestOrNull instanceof PendingAppend pending && !pending.isVisible() ? pending : null;
        if (!deferred) {
            // It covers what was deferred before, as a change would, and this thread may be the only one that would
            // write.
            commits.force();
        }
        if (unseen != null) {
            commits.awaitVisible(unseen);
        }
    }

    /** Lets the engine move live records out of its way. */
    private final class IndexRewriter implements RecordLog.Rewriter {
        /** Reads under the lock of the key, because a caller queues its version before the index shows it. */
        @Override
        public @Nullable Version latest(StateKey key) {
            return index.computeIfPresent(key, (same, latest) -> latest);
        }

        @Override
        public long rewrite(List<RecordLog.Carried> records) {
            long[] bytes = {0};
            commits.pushTogether(() -> {
                for (RecordLog.Carried carried : records) {
                    PendingAppend copy = PendingAppend.copy(carried.version(), carried.record());
                    if (queueIf(copy, carried::countsBeside)) {
                        commits.followUp(copy);
                        bytes[0] += copy.recordLength();
                    }
                }
            });
            return bytes[0];
        }

        @Override
        public void force() {
            commits.force();
        }

        @Override
        public void failStop(Throwable cause) {
            commits.failStop(cause);
        }

        @Override
        public boolean hasFailed() {
            return commits.failure().isPresent()
                    || watch.filter(PlaceWatch::isLost).isPresent();
        }
    }

    /** Hears that the log does not lie any more where it was opened. */
    private final class WatchedPlace implements PlaceWatch.User {
        @Override
        public List<UsedFile> filesInUse() {
            return closed.get() ? List.of() : log.filesInUse();
        }

        @Override
        public boolean isStillUsed(UsedFile file) {
            return filesInUse().contains(file);
        }

        @Override
        public void placeIsLost(PlaceLostException loss) {
            if (!commits.failStop(loss)) {
                FailureLog.tell(LogStore.class, loss.getMessage(), loss); // another failure was logged
            }
        }
    }

    /** Queues the move from the latest version, made ready as often as another thread is quicker. */
    private MoveOutcome queue(
            StateKey key, UnaryOperator<StateImage> move, boolean deferred, StageCompleter.@Nullable Stage written) {
        while (true) {
            Version latest = index.get(key);
            StateImage before = latest == null ? StateImage.ABSENT : imageOf(latest);
            if (before == null) {
                if (index.get(key) == latest) {
                    refuseIfFailed(); // no later version will come
                    Thread.yield(); // the thread that is about to show the later version may need this processor
                }
                continue;
            }
            StateImage after = move.apply(before);
            if (after == before) {
                refuseIfFailed();
                return new MoveOutcome(null, latest);
            }
            PendingAppend append = ready(key, after, deferred, written);
            // Made before: once the append is queued, its caller must follow it up.
            MoveOutcome outcome = new MoveOutcome(append, null);
            if (queueIf(append, now -> now == latest)) {
                return outcome;
            }
        }
    }

    private PendingAppend ready(
            StateKey key, StateImage image, boolean deferred, StageCompleter.@Nullable Stage written) {
        PendingAppend append = PendingAppend.of(key, image, encoder.encode(key, image), deferred);
        if (written != null) {
            append.completeWhenSettled(written);
        }
        return append;
    }

    private interface Condition {
        boolean holdsFor(@Nullable Version latest);
    }

    /** Queues the append as the latest version of its key, if the condition holds for the version before it. */
    private boolean queueIf(PendingAppend append, Condition condition) {
        QueueStep step = new QueueStep(append, condition);
        if (queued != null && !append.isCarried()) {
            queued.set(append); // before it is queued: this may take memory
        }
        if (steps != null) {
            refuseIfFailed(); // before it counts: so callers that come after a failure are not waited for
        }
        reserve(append);
        if (steps != null) {
            steps.incrementAndGet();
        }
        try {
            index.compute(append.key(), step);
        } catch (RuntimeException | Error thrown) {
            if (step.queued) {
                commits.failStop(thrown); // the append is queued and not in the index, perhaps for lack of memory
            }
            throw thrown;
        } finally {
            if (steps != null) {
                steps.decrementAndGet();
            }
            if (!step.queued) {
                log.refund(append);
            }
        }
        return step.queued;
    }

    /** What this thread has queued is of no interest any more. */
    void forgetQueued() {
        if (queued != null) {
            queued.remove();
        }
    }

    /** What this thread has queued last, and has failed; null if its operation has changed nothing by itself. */
    @Nullable PendingAppend lastFailed() {
        PendingAppend append = queued == null ? null : queued.get();
        return append != null && append.isFailed() ? append : null; // one that was not queued waits for ever
    }

    /** Reserves room. A store that has failed says so, and not that there is no room. */
    private void reserve(PendingAppend append) {
        try {
            log.reserve(append);
        } catch (StoreFullException | StoreIoException noRoom) {
            refuseIfFailed();
            throw noRoom;
        }
    }

    /** The step under the index' lock of one key. */
    private final class QueueStep implements BiFunction<StateKey, Version, Version> {
        private final PendingAppend append;
        private final Condition condition;
        private boolean queued;

        QueueStep(PendingAppend append, Condition condition) {
            this.append = append;
            this.condition = condition;
        }

        @Override
        public @Nullable Version apply(StateKey key, @Nullable Version latest) {
            if (!condition.holdsFor(latest)) {
                return latest;
            }
            boolean forgetNow = append.isTombstone() && append.isDeferred() && (latest == null || latest.isDone());
            append.supersede(latest);
            if (append.isTombstone() && !forgetNow) {
                append.markInIndex();
            }
            commits.push(append);
            queued = true;
            count(latest, append);
            return forgetNow ? null : append;
        }
    }

    /** Throws nothing: an append that is queued must get into the index. */
    private void count(@Nullable Version before, Version after) {
        boolean wasThere = before != null && !before.isTombstone();
        boolean isThere = !after.isTombstone();
        try {
            if (wasThere != isThere) {
                statistics.recordsChanged(isThere ? 1 : -1);
                counts.changed(after.key(), isThere ? 1 : -1);
            }
            statistics.bytesChanged(after.stateBytes() - (before == null ? 0 : before.stateBytes()));
        } catch (OutOfMemoryError uncounted) { // only figures are wrong, and no drain relies on them
        }
    }

    private Optional<StateImage> visibleImage(StateKey key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        while (true) {
            Version version = Visibility.visible(index.get(key));
            if (version == null || version.isTombstone()) {
                return Optional.empty();
            }
            StateImage image = imageOf(version);
            if (image != null) {
                return Optional.of(image);
            }
            if (Visibility.visible(index.get(key)) == version) {
                refuseIfFailed(); // no later version will come
                Thread.yield(); // the thread that is about to settle the later version may need this processor
            }
        }
    }

    /** The image of a version, or null if the engine has moved it and the index knows a later one. */
    private @Nullable StateImage imageOf(Version version) {
        if (version.isTombstone()) {
            return StateImage.ABSENT;
        }
        try {
            return log.read(version);
        } catch (IOException unreadable) {
            checkOpen();
            throw new StoreIoException(
                    "the state of " + version.key().toPrintable() + " in " + home.place() + " cannot be read: "
                            + unreadable.getMessage() + "; check the disk",
                    unreadable);
        }
    }

    private Optional<byte[]> counted(Optional<byte[]> value) {
        if (value.isPresent()) {
            statistics.read();
        } else {
            commits.checkNotLost();
        }
        return value;
    }

    private byte[] checkedState(StateKey key, byte[] state) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(state, "state");
        checkOpen();
        if (state.length > maxStateBytes) {
            throw new IllegalArgumentException("the state of " + key.toPrintable() + " has length=" + state.length
                    + " bytes; the maximum of this store is " + maxStateBytes
                    + " (tallystick.max-state-size)");
        }
        return state;
    }

    private void refuseIfFailed() {
        commits.failure().ifPresent(failed -> {
            throw failed;
        });
    }

    /** Checks that the store may say that a state is not there. */
    void checkMayTell() {
        checkOpen();
        commits.checkNotLost();
    }

    private void checkOpen() {
        if (closed.get()) {
            throw closedIn(home.place());
        }
    }

    static StoreClosedException closedIn(String place) {
        return new StoreClosedException("the store in " + place + " is closed; open it again to use it");
    }
}

package io.tallystick.store.journal;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.GroupCommit;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.LogIo;
import io.tallystick.store.journal.engine.RecordEncoder;
import io.tallystick.store.journal.engine.RecordLog;
import io.tallystick.store.spi.HealthCheck;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A store whose transactions share their syncs.
 *
 * <p>The index maps each key to its latest {@link Append}: the version that is on disk, or on its way there with the
 * versions before it behind it. A reader follows that chain to the first version it may see, so nothing has to be published
 * when a batch lands: an append that succeeds is visible by that alone. Every version is a whole image of its key, so a
 * record never depends on another one.
 *
 * <p>A mutation is made ready without any lock (image, record, checksum), then queued under the index' lock of its key if
 * the version it was made from is still the latest; otherwise it is made ready again.
 */
public final class JournalStore implements ObjectStore {
    private final RecordLog log;
    private final GroupCommit commits;
    private final RecordEncoder encoder;
    private final StoreDirectory directory;
    private final StoreDescription description;
    private final StatisticsRecorder statistics;
    private final NanoClock clock;
    private final HealthCheck healthCheck = new HealthCheck(this);
    private final int maxStateBytes;
    private final ConcurrentHashMap<StateKey, Append> index;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A store over an engine that has recovered.
     *
     * @param index the latest version of each key
     */
    private JournalStore(
            RecordLog log,
            ConcurrentHashMap<StateKey, Append> index,
            StoreDirectory directory,
            StoreDescription description,
            LogContext context) {
        this.log = log;
        this.index = index;
        this.directory = directory;
        this.description = description;
        this.statistics = context.statistics();
        this.clock = context.clock();
        this.maxStateBytes = context.options().maxStateBytes();
        this.encoder = new RecordEncoder(directory.identity().idBytes());
        this.commits = new GroupCommit(
                log,
                context.options().waitStrategy(),
                context.clock(),
                statistics,
                removal -> index.remove(removal.key(), removal));
        for (Append version : index.values()) {
            statistics.recordsChanged(1);
            statistics.bytesChanged(version.stateBytes());
        }
    }

    /**
     * Opens the store that the options describe: takes the directory, recovers what is in it, and starts the writers.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     * @throws IllegalArgumentException the engine's library is not on the class path
     */
    public static JournalStore open(JournalOptions options, Disk disk, NanoClock clock) {
        options.engine().requireLibrary();
        LogIo.checkKnown(options.io(), options.engine().supportedIo());
        StoreDirectory directory;
        try {
            directory = StoreDirectory.take(
                    disk, options.directory(), options.engine().kind(), options.isExistingExpected(), options.nodeId());
        } catch (StoreDirectoryException refused) {
            throw translated(options, refused);
        } catch (IOException trouble) {
            throw unopenable(options, trouble);
        }
        try {
            return open(options, disk, clock, directory);
        } catch (IOException trouble) {
            close(directory, trouble);
            throw unopenable(options, trouble);
        } catch (RuntimeException | Error refused) {
            close(directory, refused);
            throw refused;
        }
    }

    private static JournalStore open(JournalOptions options, Disk disk, NanoClock clock, StoreDirectory directory)
            throws IOException {
        LogIo io = LogIo.choose(options.io(), options.engine().supportedIo(), disk, directory.path(), clock);
        LogContext context = new LogContext(
                options,
                directory.path(),
                directory.identity().idBytes(),
                directory.isNew(),
                io,
                clock,
                new StatisticsRecorder(
                        StoreEvents.flightRecorder(directory.path().toString())));
        StoreDescription description = new StoreDescription(
                "journal",
                Optional.of(options.engine().configurationValue()),
                Optional.of(io.name()),
                Optional.of(directory.path()),
                io.remark());
        ConcurrentHashMap<StateKey, Append> index = new ConcurrentHashMap<>();
        StoreEvents.Recovery recovery = context.statistics().events().beginRecovery();
        RecordLog log = options.engine().open(context, index);
        JournalStore store = new JournalStore(log, index, directory, description, context);
        StoreStatistics recovered = store.statistics();
        recovery.ended(recovered.records(), recovered.bytes());
        store.commits.start();
        log.start(store.new IndexRewriter());
        return store;
    }

    private static void close(StoreDirectory directory, Throwable why) {
        try {
            directory.close();
        } catch (IOException alsoFailed) {
            why.addSuppressed(alsoFailed);
        }
    }

    private static StoreException translated(JournalOptions options, StoreDirectoryException refused) {
        return switch (refused.reason()) {
            case LOCKED -> new StoreLockedException(refused.getMessage());
            case FOREIGN -> new UnsupportedFormatException(refused.getMessage());
            case CORRUPT ->
                new CorruptStoreException(
                        refused.damagedFile().orElse(options.directory()),
                        0,
                        refused.getMessage(),
                        "restore it from a backup");
            case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
        };
    }

    private static StoreIoException unopenable(JournalOptions options, IOException trouble) {
        return new StoreIoException(
                "the store in " + options.directory() + " cannot be opened: " + trouble
                        + "; check that the disk is sound, has room and is writable; nothing that was stored was changed",
                trouble);
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        settle(queueWrite(key, state, deferred, null));
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        CompletableFuture<Void> written = new CompletableFuture<>();
        queueWrite(key, state, false, written);
        commits.pushedAsync();
        return written;
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        boolean removed = removePlain(key, durability) || mutate(key, StateImage::remove, durability);
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
        boolean committed = mutate(key, StateImage::commitShadow, durability);
        if (committed) {
            statistics.written();
        }
        return committed;
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        boolean discarded = mutate(key, StateImage::discardShadow, durability);
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
            if (statusOfVisible(latest) != StateStatus.ABSENT) {
                types.add(key.type());
            }
        });
        return types;
    }

    @Override
    public List<StateKey> keys(String type) {
        Objects.requireNonNull(type, "type");
        checkOpen();
        List<StateKey> keys = new ArrayList<>();
        index.forEach((key, latest) -> {
            if (key.type().equals(type) && statusOfVisible(latest) != StateStatus.ABSENT) {
                keys.add(key);
            }
        });
        return keys;
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        return statusOfVisible(index.get(key));
    }

    @Override
    public boolean hide(StateKey key) {
        mutate(key, StateImage::hide, Durability.FORCED);
        return statusOf(key) != StateStatus.ABSENT;
    }

    @Override
    public boolean reveal(StateKey key) {
        mutate(key, StateImage::reveal, Durability.FORCED);
        return statusOf(key) != StateStatus.ABSENT;
    }

    @Override
    public StoreDescription description() {
        return description;
    }

    @Override
    public StoreStatistics statistics() {
        return statistics.snapshot();
    }

    @Override
    public Optional<StoreException> failure() {
        checkOpen();
        return commits.failure();
    }

    @Override
    public StoreHealth health() {
        long now = clock.nanoTime();
        return healthCheck.at(
                now,
                statistics.sinceLastForce(now),
                new HealthCheck.Place(
                        directory.hasLockFile(),
                        directory.usableBytes(),
                        Optional.of(directory.identity().id()),
                        directory.nodeId()));
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        StoreException failed = null;
        try {
            commits.close();
        } catch (StoreException notForced) {
            failed = notForced;
        }
        try (directory) {
            log.close();
        } catch (IOException trouble) {
            if (failed == null) {
                failed = new StoreIoException(
                        "closing the store in " + directory.path() + " failed: " + trouble.getMessage()
                                + "; everything acknowledged is on disk",
                        trouble);
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** The way of nearly every write: the key holds nothing but perhaps a plain committed value. */
    private Append queueWrite(StateKey key, byte[] state, boolean deferred, CompletableFuture<Void> written) {
        checkedState(key, state);
        Append append = ready(key, StateImage.ABSENT.write(state), deferred, written);
        boolean queued = queueIf(append, latest -> latest == null || latest.isTombstone() || latest.isPlainCommitted());
        if (!queued) {
            byte[] copy = state.clone();
            append = queue(key, image -> image.write(copy), deferred, written).append;
        }
        statistics.written();
        return append;
    }

    /** The way of nearly every removal: the key holds a plain committed value, which need not be looked at. */
    private boolean removePlain(StateKey key, Durability durability) {
        Objects.requireNonNull(key, "key");
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        checkOpen();
        Append latest = index.get(key);
        if (latest == null || !latest.isPlainCommitted()) {
            return false;
        }
        Append append = ready(key, StateImage.ABSENT, deferred, null);
        if (!queueIf(append, now -> now == latest)) {
            return false;
        }
        settle(append);
        return true;
    }

    private boolean mutate(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(key, "key");
        boolean deferred = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED;
        checkOpen();
        Outcome outcome = queue(key, move, deferred, null);
        if (outcome.append != null) {
            settle(outcome.append);
        } else if (!deferred && (outcome.unchanged == null || !outcome.unchanged.isDone())) {
            // What made this a move that changes nothing, a deferred removal perhaps, must not be lost once this
            // returns.
            commits.force();
        }
        return outcome.append != null;
    }

    /** Lets the engine move live records out of its way. */
    private final class IndexRewriter implements RecordLog.Rewriter {
        @Override
        public Append latest(StateKey key) {
            return index.get(key);
        }

        @Override
        public long rewrite(List<RecordLog.Carried> records) {
            long[] bytes = {0};
            commits.pushTogether(() -> {
                for (RecordLog.Carried carried : records) {
                    Append copy = Append.copy(carried.version(), carried.record());
                    if (queueIf(copy, latest -> latest == carried.version())) {
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
    }

    private record Outcome(Append append, Append unchanged) {}

    /** Queues the move from the latest version, made ready as often as another thread is quicker. */
    private Outcome queue(
            StateKey key, UnaryOperator<StateImage> move, boolean deferred, CompletableFuture<Void> written) {
        while (true) {
            Append latest = index.get(key);
            StateImage before = latest == null ? StateImage.ABSENT : imageOf(latest);
            if (before == null) {
                continue;
            }
            StateImage after = move.apply(before);
            if (after == before) {
                refuseIfFailed();
                return new Outcome(null, latest);
            }
            Append append = ready(key, after, deferred, written);
            if (queueIf(append, now -> now == latest)) {
                return new Outcome(append, null);
            }
        }
    }

    private Append ready(StateKey key, StateImage image, boolean deferred, CompletableFuture<Void> written) {
        Append append = Append.of(key, image, encoder.encode(key, image), deferred);
        if (written != null) {
            append.completeWhenSettled(written);
        }
        return append;
    }

    private interface Condition {
        boolean holdsFor(Append latest);
    }

    /** Queues the append as the latest version of its key, if the version that is the latest now is as it should be. */
    private boolean queueIf(Append append, Condition condition) {
        reserve(append);
        QueueStep step = new QueueStep(append, condition);
        try {
            index.compute(append.key(), step);
        } finally {
            if (!step.queued) {
                log.refund(append);
            }
        }
        if (step.queued && append.isDeferred()) {
            commits.pushedDeferred();
        }
        return step.queued;
    }

    /** A store that has failed says that, and not that there is no room, although there may be none. */
    private void reserve(Append append) {
        try {
            log.reserve(append);
        } catch (StoreFullException full) {
            refuseIfFailed();
            throw full;
        }
    }

    /** What happens under the index' lock of one key. */
    private final class QueueStep implements BiFunction<StateKey, Append, Append> {
        private final Append append;
        private final Condition condition;
        private boolean queued;

        QueueStep(Append append, Condition condition) {
            this.append = append;
            this.condition = condition;
        }

        @Override
        public Append apply(StateKey key, Append latest) {
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

    private void count(Append before, Append after) {
        boolean wasThere = before != null && !before.isTombstone();
        boolean isThere = !after.isTombstone();
        if (wasThere != isThere) {
            statistics.recordsChanged(isThere ? 1 : -1);
        }
        statistics.bytesChanged(after.stateBytes() - (before == null ? 0 : before.stateBytes()));
    }

    private void settle(Append append) {
        if (!append.isDeferred()) {
            commits.await(append);
        }
    }

    private Optional<StateImage> visibleImage(StateKey key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        while (true) {
            Append version = visible(index.get(key));
            if (version == null || version.isTombstone()) {
                return Optional.empty();
            }
            StateImage image = imageOf(version);
            if (image != null) {
                return Optional.of(image);
            }
        }
    }

    /** The image of a version, or null if the engine has moved it and the index knows a later one. */
    private StateImage imageOf(Append version) {
        if (version.isTombstone()) {
            return StateImage.ABSENT;
        }
        try {
            return log.read(version);
        } catch (IOException unreadable) {
            checkOpen();
            throw new StoreIoException(
                    "the state of " + version.key().toPrintable() + " in " + directory.path() + " cannot be read: "
                            + unreadable.getMessage() + "; check the disk",
                    unreadable);
        }
    }

    private static StateStatus statusOfVisible(Append latest) {
        Append version = visible(latest);
        return version == null ? StateStatus.ABSENT : version.status();
    }

    /** The newest version that readers may see, from the latest one backwards. */
    private static Append visible(Append latest) {
        Append version = latest;
        while (version != null && !version.isVisible()) {
            Append before = version.previous();
            // A version that succeeds lets go of the one before it, after it has become visible.
            if (before == null && version.isVisible()) {
                return version;
            }
            version = before;
        }
        return version;
    }

    private Optional<byte[]> counted(Optional<byte[]> value) {
        if (value.isPresent()) {
            statistics.read();
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
                    + " (tallystick.journal.max-record-size)");
        }
        return state;
    }

    private void refuseIfFailed() {
        commits.failure().ifPresent(failed -> {
            throw failed;
        });
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new StoreClosedException("the store in " + directory.path() + " is closed; open it again to use it");
        }
    }
}

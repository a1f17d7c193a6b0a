package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.file.NameChange.Install;
import io.tallystick.store.file.NameChange.Retire;
import io.tallystick.store.spi.HealthCheck;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * A store that keeps one file for each key. The file holds the whole image of the key, so each mutation is the same: write
 * the new image into a file beside the old one, force it, give it the key's name in one step, and force the directory.
 *
 * <p>All of that happens on the calling thread, but that callers who come at the same time share the changes of names and
 * the forcing of the directory ({@code SyncRounds}). The store has one thread of its own, which brings to disk what was
 * deferred and left alone, and a few more once {@link #writeAsync} is used. In memory it keeps the keys and their status;
 * values are read from their files.
 */
public final class FileStore implements ObjectStore {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    static final String NAME = "file";
    /** What the directory of such a store calls itself. */
    static final String KIND = "file-v1";

    private final StoreDirectory directory;
    private final StoreDescription description;
    private final Disk disk;
    private final int maxStateBytes;
    private final StatisticsRecorder statistics;
    private final NanoClock clock;
    private final HealthCheck healthCheck = new HealthCheck(this);
    private final FailStop failStop;
    private final TypeDirectories types;
    private final StateFiles files;
    private final SyncRounds rounds;
    private final OpenFiles openFiles;
    private final IdleForcer idle;
    private final AsyncWriters asyncWriters = new AsyncWriters();
    private final OperationGate gate;

    private FileStore(
            FileStoreOptions options,
            StoreDirectory directory,
            StoreDescription description,
            Disk disk,
            StatisticsRecorder statistics,
            NanoClock clock,
            FailStop failStop,
            TypeDirectories types,
            StateFiles files,
            SyncRounds rounds,
            OpenFiles openFiles) {
        this.directory = directory;
        this.description = description;
        this.disk = disk;
        this.maxStateBytes = options.maxStateBytes();
        this.statistics = statistics;
        this.clock = clock;
        this.failStop = failStop;
        this.types = types;
        this.files = files;
        this.rounds = rounds;
        this.openFiles = openFiles;
        this.idle = new IdleForcer(rounds, failStop);
        this.gate = new OperationGate(directory.path());
    }

    /**
     * Opens the store that the options describe: takes the directory and checks every file in it.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     */
    public static FileStore open(FileStoreOptions options, Disk disk, NanoClock clock) {
        StoreDirectory directory;
        try {
            directory = StoreDirectory.take(
                    disk, options.directory(), KIND, options.isExistingExpected(), options.nodeId());
        } catch (StoreDirectoryException refused) {
            throw translated(options.directory(), refused);
        } catch (IOException failed) {
            throw unopenable(options.directory(), failed);
        }
        try {
            return recovered(options, directory, disk, clock);
        } catch (IOException failed) {
            giveUp(directory, failed);
            throw unopenable(directory.path(), failed);
        } catch (RuntimeException | Error failed) {
            giveUp(directory, failed);
            throw failed;
        }
    }

    private static FileStore recovered(FileStoreOptions options, StoreDirectory directory, Disk disk, NanoClock clock)
            throws IOException {
        StoreEvents events = StoreEvents.flightRecorder(directory.path().toString());
        StatisticsRecorder statistics = new StatisticsRecorder(events);
        FailStop failStop = new FailStop(directory.path(), events);
        OpenFiles openFiles = new OpenFiles();
        Path root = directory.path().resolve(FileNames.ROOT);
        byte[] store = directory.identity().idBytes();
        TypeDirectories types = new TypeDirectories(disk, failStop, root, openFiles);
        StoreEvents.Recovery recovering = events.beginRecovery();
        Recovery recovery = new Recovery(disk, root, store, types, statistics);
        recovery.recover();
        StoreStatistics recovered = statistics.snapshot();
        recovering.ended(recovered.records(), recovered.bytes());
        StateFiles files = new StateFiles(
                disk,
                clock,
                failStop,
                statistics,
                openFiles,
                store,
                new SecureRandom().nextLong(),
                recovery.lastSequence());
        StoreDescription description = new StoreDescription(
                NAME,
                Optional.empty(),
                Optional.of("channel"),
                Optional.of(directory.path()),
                "file system " + disk.fileSystemType(directory.path()));
        SyncRounds rounds = new SyncRounds(disk, clock, failStop, statistics);
        return new FileStore(
                options, directory, description, disk, statistics, clock, failStop, types, files, rounds, openFiles);
    }

    private static StoreException translated(Path directory, StoreDirectoryException refused) {
        return switch (refused.reason()) {
            case LOCKED -> new StoreLockedException(refused.getMessage(), refused);
            case FOREIGN -> new UnsupportedFormatException(refused.getMessage(), refused);
            case CORRUPT ->
                new CorruptStoreException(
                        refused.damagedFile().orElse(directory), 0, refused.getMessage(), "nothing was changed");
            case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
        };
    }

    private static StoreIoException unopenable(Path directory, IOException failed) {
        return new StoreIoException(
                "directory=" + directory + ": the store cannot be opened (" + failed
                        + "); check that the disk is sound, writable and has room; nothing that was stored is changed",
                failed);
    }

    private static void giveUp(StoreDirectory directory, Throwable why) {
        try {
            directory.close();
        } catch (IOException alsoFailed) {
            why.addSuppressed(alsoFailed);
        }
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        checkArguments(key, state);
        mutate(key, image -> image.write(state), durability);
        statistics.written();
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        checkArguments(key, state);
        byte[] copy = state.clone();
        CompletableFuture<Void> written = new CompletableFuture<>();
        gate.enter();
        try {
            failStop.check();
            TypeDirectory type = types.obtain(key.type());
            // The place in the key's queue is taken here, so that the writes of one caller happen in its order.
            AsyncWrite write = new AsyncWrite(type, key, type.queue(key.id()), copy, written);
            write.turn.whenReady(write::begin);
        } catch (StoreException refused) {
            gate.leave();
            written.completeExceptionally(refused);
        } catch (RuntimeException | Error failed) {
            gate.leave();
            throw failed;
        }
        return written;
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        boolean removed = Objects.requireNonNull(durability, "durability") == Durability.DEFERRED
                ? removeLater(key)
                : mutateExisting(key, StateImage::remove, durability) == Effect.CHANGED;
        if (removed) {
            statistics.removed();
        }
        return removed;
    }

    @Override
    public void force() {
        gate.enter();
        try {
            rounds.force();
        } finally {
            gate.leave();
        }
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        checkArguments(key, state);
        mutate(key, image -> image.writeShadow(state), durability);
        statistics.written();
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        StateImage image = visibleImage(key);
        return found(image.isHidden() ? null : image.shadow());
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        boolean committed = mutateExisting(key, StateImage::commitShadow, durability) == Effect.CHANGED;
        if (committed) {
            statistics.written();
        }
        return committed;
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        boolean discarded = mutateExisting(key, StateImage::discardShadow, durability) == Effect.CHANGED;
        if (discarded) {
            statistics.removed();
        }
        return discarded;
    }

    @Override
    public Set<String> types() {
        gate.enter();
        try {
            Set<String> names = new HashSet<>();
            for (TypeDirectory type : types.all()) {
                if (type.hasVisibleKey()) {
                    names.add(type.type());
                }
            }
            return names;
        } finally {
            gate.leave();
        }
    }

    @Override
    public List<StateKey> keys(String typeName) {
        Objects.requireNonNull(typeName, "type");
        gate.enter();
        try {
            TypeDirectory type = types.find(typeName);
            return type == null ? List.of() : type.visibleKeys();
        } finally {
            gate.leave();
        }
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        StateImage image = visibleImage(key);
        return found(image.isHidden() ? null : image.committed());
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        Objects.requireNonNull(key, "key");
        gate.enter();
        try {
            TypeDirectory type = types.find(key.type());
            return type == null ? StateStatus.ABSENT : TypeDirectory.statusOf(type.visible(key.id()));
        } finally {
            gate.leave();
        }
    }

    @Override
    public boolean hide(StateKey key) {
        return mutateExisting(key, StateImage::hide, Durability.FORCED) != Effect.NOTHING_THERE;
    }

    @Override
    public boolean reveal(StateKey key) {
        return mutateExisting(key, StateImage::reveal, Durability.FORCED) != Effect.NOTHING_THERE;
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
        gate.checkOpen();
        return failStop.failure();
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
        if (!gate.close()) {
            return;
        }
        idle.stop();
        asyncWriters.close();
        StoreException lost = null;
        try {
            forceWhatWasDeferred();
        } catch (StoreException failed) {
            lost = failed;
        }
        try {
            directory.close();
        } catch (IOException failed) {
            // What was acknowledged is on disk, and the operating system frees the lock when the process ends.
            LOG.log(System.Logger.Level.WARNING, "TALLY0504 giving up " + directory.path() + " failed", failed);
        }
        if (lost != null) {
            throw lost;
        }
    }

    private void forceWhatWasDeferred() {
        try {
            if (failStop.failure().isEmpty()) {
                rounds.force();
                types.all().forEach(type -> type.spares().dropAll(disk));
            } else if (rounds.outstandingDeferred() > 0) {
                throw failStop.unknown();
            }
        } finally {
            rounds.abandon();
            types.all().forEach(type -> type.spares().closeAll());
            openFiles.closeAll();
        }
    }

    /** What a mutation did. */
    private enum Effect {
        /** Nothing: the key holds nothing, and still does. */
        NOTHING_THERE,
        /** Nothing: the key was as it should be. */
        UNCHANGED,
        /** It changed what the key holds. */
        CHANGED
    }

    /** Carries out a mutation that makes the key if it is not there. */
    private void mutate(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(durability, "durability");
        gate.enter();
        try {
            failStop.check();
            TypeDirectory type = types.obtain(key.type());
            carryOut(type, key, type.queue(key.id()), move, durability);
        } finally {
            gate.leave();
        }
    }

    /** Carries out a mutation that does nothing to a key that is not there. */
    private Effect mutateExisting(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(durability, "durability");
        gate.enter();
        try {
            failStop.check();
            TypeDirectory type = types.find(key.type());
            Effect effect =
                    type == null ? Effect.NOTHING_THERE : carryOut(type, key, type.queue(key.id()), move, durability);
            if (effect != Effect.CHANGED && durability == Durability.FORCED) {
                // What made this a move that changes nothing, a deferred removal perhaps, must be on disk as well.
                rounds.force();
            }
            return effect;
        } finally {
            gate.leave();
        }
    }

    /** Waits for the turn, uses it and ends it, come what may. */
    private Effect carryOut(
            TypeDirectory type, StateKey key, Turn turn, UnaryOperator<StateImage> move, Durability durability) {
        Held before = turn.await();
        Held after = before;
        try {
            failStop.check();
            StateImage image = imageOf(type, key, before);
            StateImage moved = move.apply(image);
            if (moved == image) {
                return before.isNothing() ? Effect.NOTHING_THERE : Effect.UNCHANGED;
            }
            turn.work(image);
            after = Held.inMemory(image);
            try {
                after = replace(type, key, before, moved, durability);
            } catch (StoreException failed) {
                if (!(failed instanceof OutcomeUnknownException)) {
                    after = before;
                }
                throw failed;
            }
            count(before, after);
            return Effect.CHANGED;
        } finally {
            type.settle(key.id(), turn, after);
        }
    }

    /** Takes a plain committed value away without looking at its file. */
    private boolean removeLater(StateKey key) {
        Objects.requireNonNull(key, "key");
        gate.enter();
        try {
            failStop.check();
            TypeDirectory type = types.find(key.type());
            if (type == null) {
                return false;
            }
            Turn turn = type.queue(key.id());
            Held before = turn.await();
            if (before.status().hasShadow()) {
                return carryOut(type, key, turn, StateImage::remove, Durability.DEFERRED) == Effect.CHANGED;
            }
            Held after = before;
            try {
                if (!before.isNothing()) {
                    after = replace(type, key, before, StateImage.ABSENT, Durability.DEFERRED);
                    count(before, after);
                }
            } finally {
                type.settle(key.id(), turn, after);
            }
            return after != before;
        } finally {
            gate.leave();
        }
    }

    /** Puts an image in the place of what a key held, on disk or, if deferred, on its way there. */
    private Held replace(TypeDirectory type, StateKey key, Held before, StateImage image, Durability durability) {
        // Later there is nobody to be told that the disk is full, so then nothing is put off that needs a name.
        boolean deferred =
                durability == Durability.DEFERRED && (image.isAbsent() || !Shortage.isNear(disk, directory.path()));
        Path state = type.stateFile(key.id());
        Held after;
        NameChange change;
        if (image.isAbsent()) {
            after = Held.NOTHING;
            change = new Retire(type, state, before, type.isOneBlock(key.id(), before.bytes()), deferred);
        } else {
            WrittenFile written = files.write(type, key, image);
            after = Held.inFile(image, written.path());
            if (!deferred) {
                after.leftOpen(files.force(written));
            }
            change = new Install(type, state, before, written, after, deferred);
        }
        if (deferred) {
            rounds.defer(change);
            idle.wake();
        } else {
            rounds.force(change);
        }
        return after;
    }

    private void count(Held before, Held after) {
        statistics.recordsChanged((after.isNothing() ? 0 : 1) - (before.isNothing() ? 0 : 1));
        statistics.bytesChanged(after.bytes() - before.bytes());
    }

    /** A write that nobody waits for: it begins when its turn has come, on a thread of the store. */
    private final class AsyncWrite {
        private final TypeDirectory type;
        private final StateKey key;
        private final Turn turn;
        private final byte[] state;
        private final CompletableFuture<Void> written;

        AsyncWrite(TypeDirectory type, StateKey key, Turn turn, byte[] state, CompletableFuture<Void> written) {
            this.type = type;
            this.key = key;
            this.turn = turn;
            this.state = state;
            this.written = written;
        }

        void begin() {
            try {
                asyncWriters.execute(this::run);
            } catch (RuntimeException | Error noThread) {
                type.settle(key.id(), turn, turn.await());
                complete(new StoreIoException(
                        "the state of " + key.toPrintable() + " was not written, because no thread could be started ("
                                + noThread + "); check the process' limits",
                        noThread));
            }
        }

        private void run() {
            Throwable failure = null;
            try {
                carryOut(type, key, turn, image -> image.write(state), Durability.FORCED);
                statistics.written();
            } catch (Throwable thrown) {
                failure = thrown;
            }
            complete(failure);
        }

        private void complete(Throwable failureOrNull) {
            // Before the stage is completed, because an action that depends on it may close the store.
            gate.leave();
            if (failureOrNull == null) {
                written.complete(null);
            } else {
                written.completeExceptionally(failureOrNull);
            }
        }
    }

    /** What readers see of the key, which may be changing all the while. */
    private StateImage visibleImage(StateKey key) {
        Objects.requireNonNull(key, "key");
        gate.enter();
        try {
            TypeDirectory type = types.find(key.type());
            while (type != null) {
                Object visible = type.visible(key.id());
                if (visible instanceof StateImage image) {
                    return image;
                }
                StateImage image;
                try {
                    image = imageOf(type, key, (Held) visible);
                } catch (StoreException failed) {
                    if (type.visible(key.id()) == visible) {
                        throw failed;
                    }
                    continue;
                }
                if (type.visible(key.id()) == visible) {
                    return image;
                }
                // The file was changing while it was read.
            }
            return StateImage.ABSENT;
        } finally {
            gate.leave();
        }
    }

    private StateImage imageOf(TypeDirectory type, StateKey key, Held held) {
        if (held.isNothing()) {
            return StateImage.ABSENT;
        }
        return held.lastKnown() != null ? held.lastKnown() : files.read(type, key, held);
    }

    private Optional<byte[]> found(byte[] value) {
        if (value == null) {
            return Optional.empty();
        }
        statistics.read();
        // An image in memory may be another reader's too.
        return Optional.of(value.clone());
    }

    private void checkArguments(StateKey key, byte[] state) {
        Objects.requireNonNull(key, "key");
        if (state.length > maxStateBytes) {
            throw new IllegalArgumentException("the state of " + key.toPrintable() + " has length=" + state.length
                    + " bytes; the maximum is " + maxStateBytes + ", set " + StoreOption.MAX_RECORD_SIZE.key()
                    + " for larger ones");
        }
    }
}

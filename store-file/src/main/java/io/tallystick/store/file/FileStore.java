package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemPromise;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.file.StateChanges.Effect;
import io.tallystick.store.spi.HealthCheck;
import io.tallystick.store.spi.StackRoom;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps one file for each key. The file holds the whole image of the key, so each mutation takes the same
 * steps. It writes the new image into a file beside the old one and forces it. Then it gives it the key's name in one
 * step, and forces the directory.
 *
 * <p>All of that happens on the calling thread. Callers that arrive at the same time share the changes of names and the
 * forcing of the directory ({@code SyncRounds}). One thread of the store forces deferred changes that no caller has
 * forced. A few more threads start once {@link #writeAsync} is used. In memory the store keeps the keys and their
 * status. It reads values from their files.
 *
 * <p>This class checks arguments, counts operations and lets a closed store refuse them. {@code FileStoreOpening} opens
 * the store, {@code StateChanges} changes states, and {@code VisibleStates} reads them.
 */
public final class FileStore implements ObjectStore {
    /** Closing loads classes, ends threads and forces changes: it needs this many times the stack of a change. */
    private static final int CLOSING_STACK_TIMES = 4;

    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    static final String NAME = "file";
    /** The kind that the directory of such a store is marked with. */
    static final String KIND = "file-v1";

    private final StoreDirectory directory;
    private final StoreDescription description;
    private final int maxStateBytes;
    private final StatisticsRecorder statistics;
    private final NanoClock clock;
    private final HealthCheck healthCheck = new HealthCheck(this);
    private final FailStop failStop;
    private final VisibleStates states;
    private final StateChanges changes;
    private final OperationGate gate;
    private final AsyncWriteQueue asyncWrites;

    FileStore(
            FileStoreOptions options,
            StoreDirectory directory,
            StoreContext context,
            VisibleStates states,
            StateChanges changes)
            throws IOException {
        this.directory = directory;
        this.description = describe(directory.path(), context.disk());
        this.maxStateBytes = options.maxStateBytes();
        this.statistics = context.statistics();
        this.clock = context.clock();
        this.failStop = context.failStop();
        this.states = states;
        this.changes = changes;
        this.gate = new OperationGate(directory.path());
        this.asyncWrites = new AsyncWriteQueue(gate, changes, statistics, options.completionExecutor());
    }

    /**
     * Opens the store that the options describe: takes the directory and checks every file in it.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     */
    public static FileStore open(FileStoreOptions options, Disk disk, NanoClock clock) {
        return new FileStoreOpening(options, disk, clock).open();
    }

    private static StoreDescription describe(Path directory, Disk disk) throws IOException {
        return new StoreDescription(
                NAME,
                Optional.empty(),
                Optional.of("channel"),
                Optional.of(directory),
                SystemPromise.remarkAfter("file system " + disk.fileSystemType(directory)));
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
        StackRoom.check();
        return asyncWrites.write(key, state);
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
        gate.enterToChange();
        try {
            changes.force();
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
            return states.types();
        } finally {
            gate.leave();
        }
    }

    @Override
    public List<StateKey> keys(String typeName) {
        return keys(typeName, Integer.MAX_VALUE);
    }

    @Override
    public List<StateKey> keys(String typeName, int atMost) {
        Objects.requireNonNull(typeName, "type");
        if (atMost < 0) {
            throw new IllegalArgumentException("atMost=" + atMost + " is negative");
        }
        gate.enter();
        try {
            return states.keys(typeName, atMost);
        } finally {
            gate.leave();
        }
    }

    @Override
    public Map<String, Integer> countByType() {
        gate.enter();
        try {
            return states.countByType();
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
            StateStatus status = states.statusOf(key);
            if (status == StateStatus.ABSENT) {
                failStop.checkNotLost();
            }
            return status;
        } finally {
            gate.leave();
        }
    }

    @Override
    public void proveOwned() {
        gate.enter();
        try {
            failStop.checkNotLost();
            directory.watch().prove();
            failStop.checkNotLost();
        } catch (IOException unproven) {
            throw new StoreIoException(
                    "it is not proven that the log is still this process' own: " + unproven.getMessage(), unproven);
        } finally {
            gate.leave();
        }
    }

    @Override
    public LossMarking lossMarking() {
        return LossMarking.valueOf(directory.watch().marking().name());
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
    public void setDraining(boolean draining) {
        healthCheck.setDraining(draining);
    }

    @Override
    public StoreHealth health() {
        directory.watch().look();
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
        StackRoom.check(CLOSING_STACK_TIMES);
        if (!gate.close()) {
            return;
        }
        // Each step follows, whatever the one before throws: a second call does nothing.
        try {
            changes.stopIdleForcer();
        } finally {
            try {
                asyncWrites.close();
            } finally {
                try {
                    changes.close();
                } finally {
                    giveUpDirectory();
                }
            }
        }
    }

    private void giveUpDirectory() {
        try {
            directory.close();
        } catch (IOException failed) {
            // Acknowledged changes are on disk, and the operating system frees the lock when the process ends.
            LOG.log(System.Logger.Level.WARNING, "TALLY0504 giving up " + directory.path() + " failed", failed);
        }
    }

    /** Carries out a mutation that makes the key if it is not there. */
    private void mutate(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(durability, "durability");
        gate.enterToChange();
        try {
            changes.change(key, move, durability);
        } finally {
            gate.leave();
        }
    }

    /** Carries out a mutation that does nothing to a key that is not there. */
    private Effect mutateExisting(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(durability, "durability");
        gate.enterToChange();
        try {
            return changes.changeExisting(key, move, durability);
        } finally {
            gate.leave();
        }
    }

    /** Takes a plain committed value away without looking at its file. */
    private boolean removeLater(StateKey key) {
        Objects.requireNonNull(key, "key");
        gate.enterToChange();
        try {
            return changes.removeLater(key);
        } finally {
            gate.leave();
        }
    }

    private StateImage visibleImage(StateKey key) {
        Objects.requireNonNull(key, "key");
        gate.enter();
        try {
            return states.imageOf(key);
        } finally {
            gate.leave();
        }
    }

    private Optional<byte[]> found(byte @Nullable [] value) {
        if (value == null) {
            failStop.checkNotLost();
            return Optional.empty();
        }
        statistics.read();
        // Other readers may have the same image in memory.
        return Optional.of(value.clone());
    }

    private void checkArguments(StateKey key, byte[] state) {
        Objects.requireNonNull(key, "key");
        if (state.length > maxStateBytes) {
            throw new IllegalArgumentException("the state of " + key.toPrintable() + " has length=" + state.length
                    + " bytes; the maximum is " + maxStateBytes + ", set " + StoreOption.MAX_STATE_SIZE.key()
                    + " for larger ones");
        }
    }
}

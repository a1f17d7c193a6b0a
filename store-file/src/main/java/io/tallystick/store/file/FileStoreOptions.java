package io.tallystick.store.file;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/** How a {@link FileStore} is opened. Immutable and checked. */
public final class FileStoreOptions {
    /** The largest {@link #maxQueuedChanges}, and the default: {@link FullDisk} keeps room for so many new names. */
    static final int MAX_QUEUED_CHANGES = 256;

    private final Path directory;
    private final boolean existingExpected;
    private final Taker taker;
    private final int maxStateBytes;
    private final int maxQueuedChanges;
    private final Optional<Executor> completionExecutor;

    private FileStoreOptions(
            Path directory,
            boolean existingExpected,
            Taker taker,
            int maxStateBytes,
            int maxQueuedChanges,
            Optional<Executor> completionExecutor) {
        this.directory = directory;
        this.existingExpected = existingExpected;
        this.taker = taker;
        this.maxStateBytes = maxStateBytes;
        this.maxQueuedChanges = maxQueuedChanges;
        this.completionExecutor = completionExecutor;
    }

    /** A store in this directory, which is created if it is missing, with the defaults of the configuration keys. */
    public static FileStoreOptions in(Path directory) {
        Objects.requireNonNull(directory, "directory");
        return from(StoreConfiguration.builder().directory(directory).build());
    }

    /**
     * The options that a configuration describes.
     *
     * @throws IllegalArgumentException the directory is not set
     */
    public static FileStoreOptions from(StoreConfiguration configuration) {
        return new FileStoreOptions(
                configuration.get(StoreOption.DIRECTORY),
                configuration.get(StoreOption.EXPECT_EXISTING),
                new Taker(
                        configuration.find(StoreOption.NODE_ID),
                        configuration.isAdopting(),
                        configuration.get(StoreOption.PATIENCE)),
                Math.toIntExact(configuration.get(StoreOption.MAX_STATE_SIZE)),
                MAX_QUEUED_CHANGES,
                configuration.completionExecutor());
    }

    /** The same, but a directory without a store is refused (or not). */
    public FileStoreOptions withExistingExpected(boolean expected) {
        return new FileStoreOptions(directory, expected, taker, maxStateBytes, maxQueuedChanges, completionExecutor);
    }

    /**
     * The same with another limit.
     *
     * @param bytes the largest state
     * @throws IllegalArgumentException it is not within the bounds of {@link StoreOption#MAX_STATE_SIZE}
     */
    public FileStoreOptions withMaxStateBytes(int bytes) {
        StoreOption.MAX_STATE_SIZE.parse(String.valueOf(bytes));
        return new FileStoreOptions(directory, existingExpected, taker, bytes, maxQueuedChanges, completionExecutor);
    }

    /**
     * The same with a smaller bound on changes of names that wait for the next sync of their directory. A deferred
     * write holds a file open until then. Where more are queued, a caller that defers renames the files itself; the
     * sync still comes with the next round.
     *
     * @param changes the most that may be queued, from 0 to {@value #MAX_QUEUED_CHANGES}, the default
     * @throws IllegalArgumentException it is not within these bounds
     */
    public FileStoreOptions withMaxQueuedChanges(int changes) {
        if (changes < 0 || changes > MAX_QUEUED_CHANGES) {
            throw new IllegalArgumentException(
                    "the number of queued changes is " + changes + "; it must be from 0 to " + MAX_QUEUED_CHANGES);
        }
        return new FileStoreOptions(directory, existingExpected, taker, maxStateBytes, changes, completionExecutor);
    }

    /** Where stages of asynchronous writes complete; empty for threads of the store. */
    public Optional<Executor> completionExecutor() {
        return completionExecutor;
    }

    /** Where the store lives. */
    public Path directory() {
        return directory;
    }

    /** Whether a directory without a store is refused. */
    public boolean isExistingExpected() {
        return existingExpected;
    }

    /** The node that opens the store; empty to open a store of any node. */
    public Optional<String> nodeId() {
        return taker.nodeId();
    }

    /** The opener, as the directory asks for it. */
    Taker taker() {
        return taker;
    }

    /** The largest state, bytes. */
    public int maxStateBytes() {
        return maxStateBytes;
    }

    /** The most changes of names that may be queued before a caller that defers applies them. */
    public int maxQueuedChanges() {
        return maxQueuedChanges;
    }

    /** The values by the names of the configuration keys. */
    @Override
    public String toString() {
        return StoreOption.DIRECTORY + "=" + directory + " " + StoreOption.EXPECT_EXISTING + "=" + existingExpected
                + nodeId().map(id -> " " + StoreOption.NODE_ID + "=" + id).orElse("") + " " + StoreOption.MAX_STATE_SIZE
                + "=" + maxStateBytes;
    }
}

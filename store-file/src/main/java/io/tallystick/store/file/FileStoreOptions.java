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
    private final Path directory;
    private final boolean existingExpected;
    private final Taker taker;
    private final int maxStateBytes;
    private final Optional<Executor> completionExecutor;

    private FileStoreOptions(
            Path directory,
            boolean existingExpected,
            Taker taker,
            int maxStateBytes,
            Optional<Executor> completionExecutor) {
        this.directory = directory;
        this.existingExpected = existingExpected;
        this.taker = taker;
        this.maxStateBytes = maxStateBytes;
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
                configuration.completionExecutor());
    }

    /** The same, but a directory without a store is refused (or not). */
    public FileStoreOptions withExistingExpected(boolean expected) {
        return new FileStoreOptions(directory, expected, taker, maxStateBytes, completionExecutor);
    }

    /**
     * The same with another limit.
     *
     * @param bytes the largest state
     * @throws IllegalArgumentException it is not within the bounds of {@link StoreOption#MAX_STATE_SIZE}
     */
    public FileStoreOptions withMaxStateBytes(int bytes) {
        StoreOption.MAX_STATE_SIZE.parse(String.valueOf(bytes));
        return new FileStoreOptions(directory, existingExpected, taker, bytes, completionExecutor);
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

    /** The values by the names of the configuration keys. */
    @Override
    public String toString() {
        return StoreOption.DIRECTORY + "=" + directory + " " + StoreOption.EXPECT_EXISTING + "=" + existingExpected
                + nodeId().map(id -> " " + StoreOption.NODE_ID + "=" + id).orElse("") + " " + StoreOption.MAX_STATE_SIZE
                + "=" + maxStateBytes;
    }
}

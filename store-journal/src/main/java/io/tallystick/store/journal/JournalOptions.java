package io.tallystick.store.journal;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.log.spi.WaitStrategy;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/** How a {@link JournalStore} is opened. Immutable and checked. */
public final class JournalOptions {
    /**
     * The fewest blocks of a file. A file of two has one to write in, which the reserves of {@code room.Reserves} take.
     * So no number of such files has room for a record.
     */
    public static final int LEAST_BLOCKS = 3;

    private final StoreConfiguration configuration;
    private final Path directory;
    private final boolean existingExpected;
    private final Taker taker;
    private final String engine;
    private final String io;
    private final long segmentBytes;
    private final int segments;
    private final int blockBytes;
    private final int maxStateBytes;
    private final Optional<Executor> completionExecutor;
    private final WaitStrategy waitStrategy;

    private JournalOptions(StoreConfiguration configuration, WaitStrategy waitStrategy) {
        this.configuration = configuration;
        this.waitStrategy = waitStrategy;
        this.directory = configuration.get(StoreOption.DIRECTORY);
        this.existingExpected = configuration.get(StoreOption.EXPECT_EXISTING);
        this.taker = new Taker(
                configuration.find(StoreOption.NODE_ID),
                configuration.isAdopting(),
                configuration.get(StoreOption.PATIENCE));
        this.engine = configuration.get(StoreOption.JOURNAL_ENGINE);
        this.io = configuration.get(StoreOption.JOURNAL_IO);
        this.segmentBytes = configuration.get(StoreOption.JOURNAL_SEGMENT_SIZE);
        this.segments = configuration.get(StoreOption.JOURNAL_SEGMENTS);
        this.blockBytes = Math.toIntExact(configuration.get(StoreOption.JOURNAL_BLOCK_SIZE));
        this.maxStateBytes = Math.toIntExact(configuration.get(StoreOption.MAX_STATE_SIZE));
        this.completionExecutor = configuration.completionExecutor();
        if (maxStateBytes * 4L > segmentBytes) {
            throw new IllegalArgumentException(StoreOption.MAX_STATE_SIZE.key() + "=" + maxStateBytes
                    + " bytes is more than a quarter of " + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "=" + segmentBytes
                    + " bytes; raise the segment size or lower the state size");
        }
        if (segmentBytes % blockBytes != 0) {
            throw new IllegalArgumentException(StoreOption.JOURNAL_SEGMENT_SIZE.key() + "=" + segmentBytes
                    + " bytes is not a multiple of " + StoreOption.JOURNAL_BLOCK_SIZE.key() + "=" + blockBytes
                    + " bytes");
        }
    }

    /**
     * The options that a configuration describes.
     *
     * @throws IllegalArgumentException the directory is missing, or values do not go together
     */
    public static JournalOptions from(StoreConfiguration configuration) {
        return from(configuration, WaitStrategy.EXPECTED_END);
    }

    /**
     * The same with another way to wait, for tests: few threads that sleep write side by side.
     *
     * @throws IllegalArgumentException the directory is missing, or values do not go together
     */
    public static JournalOptions from(StoreConfiguration configuration, WaitStrategy waitStrategy) {
        return new JournalOptions(Objects.requireNonNull(configuration, "configuration"), waitStrategy);
    }

    /** The value of an engine's own option, or its default. */
    public <T> Optional<T> find(StoreOption<T> option) {
        return configuration.find(option);
    }

    /**
     * The value of an engine's own option, or its default.
     *
     * @throws IllegalArgumentException neither exists, naming the key and where it can be set
     */
    public <T> T get(StoreOption<T> option) {
        return configuration.get(option);
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

    /** Which log holds the records: a value of {@code tallystick.journal.engine}. */
    public String engine() {
        return engine;
    }

    /** How bytes reach the disk: a value of {@code tallystick.journal.io}. */
    public String io() {
        return io;
    }

    /** Size of one file, bytes. */
    public long segmentBytes() {
        return segmentBytes;
    }

    /** Files made when a store is created. */
    public int segments() {
        return segments;
    }

    /** Alignment of writes, bytes; the disk may ask for more. */
    public int blockBytes() {
        return blockBytes;
    }

    /** The largest state, bytes. */
    public int maxStateBytes() {
        return maxStateBytes;
    }

    WaitStrategy waitStrategy() {
        return waitStrategy;
    }

    /** Where stages of asynchronous writes complete; empty for threads of the store. */
    public Optional<Executor> completionExecutor() {
        return completionExecutor;
    }

    /** The longest record there may be to write: two values of the largest size under the longest key, bytes. */
    public int longestRecordBytes() {
        return longestRecordBytes(maxStateBytes);
    }

    /** The longest record of two values of this length, under the longest key, bytes. */
    public static int longestRecordBytes(int valueBytes) {
        return RecordFormat.aligned(
                RecordFormat.HEADER_BYTES + StateKey.MAX_TYPE_BYTES + ObjectId.MAX_BYTES + 2 * valueBytes);
    }

    /**
     * Checks that a file has the shape that an engine needs.
     *
     * @param fileBytes size of a file
     * @param usableBytes the part of it that batches may use
     * @param alignmentBytes positions of batches and the size must be multiples of this
     * @param longestBatchBytes a batch of the longest record alone
     * @throws IllegalArgumentException it has not; the message names the options to change
     */
    public void checkFileShape(long fileBytes, long usableBytes, int alignmentBytes, long longestBatchBytes) {
        if (fileBytes % alignmentBytes != 0) {
            throw new IllegalArgumentException("the journal's files in directory=" + directory + " have " + fileBytes
                    + " bytes (" + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "), not a multiple of the " + alignmentBytes
                    + " bytes that are written at a time there (" + StoreOption.JOURNAL_BLOCK_SIZE.key() + ", "
                    + StoreOption.JOURNAL_IO.key() + "); change one of them");
        }
        if (longestBatchBytes > usableBytes) {
            throw new IllegalArgumentException("a record with two values of " + StoreOption.MAX_STATE_SIZE.key() + "="
                    + maxStateBytes + " bytes may take " + longestBatchBytes + " bytes, but a file in directory="
                    + directory + " has room for " + usableBytes + " (" + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "="
                    + fileBytes + ", " + StoreOption.JOURNAL_BLOCK_SIZE.key() + "=" + alignmentBytes
                    + "); raise the segment size, or lower one of the others");
        }
        if (fileBytes / alignmentBytes < LEAST_BLOCKS) {
            throw new IllegalArgumentException("the journal's files in directory=" + directory + " have " + fileBytes
                    + " bytes (" + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "), fewer than " + LEAST_BLOCKS
                    + " blocks of " + alignmentBytes + " bytes (" + StoreOption.JOURNAL_BLOCK_SIZE.key()
                    + "); lower the block size, or raise the segment size: files of an artemis journal keep theirs");
        }
    }
}

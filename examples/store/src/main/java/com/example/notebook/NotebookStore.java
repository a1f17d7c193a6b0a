package com.example.notebook;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * One lock, one file of whole images, one force for each forced call. What lives is in memory too. An opening writes it
 * into a new file, which takes the place of the old one, and so does a change that leaves the file mostly dead.
 */
final class NotebookStore implements ObjectStore {
    static final String KIND = "notebook-v1";
    private static final String FRESH = NotebookFile.NAME + ".new";

    private final Disk disk;
    private final StoreDirectory directory;
    private final int maxStateBytes;
    private final long rewriteAbove;
    private final StatisticsRecorder statistics = new StatisticsRecorder();
    private final Map<StateKey, StateImage> images = new HashMap<>(); // all below: guarded by this
    private DiskFile file;
    private long end;
    private long livingAtRewrite;
    private long unforced;
    private Throwable failure;
    private boolean closed;

    private NotebookStore(Disk disk, StoreDirectory directory, StoreConfiguration configuration) {
        this.disk = disk;
        this.directory = directory;
        this.maxStateBytes = Math.toIntExact(configuration.get(StoreOption.MAX_STATE_SIZE));
        this.rewriteAbove = configuration.get(NotebookProvider.REWRITE_ABOVE);
    }

    static NotebookStore open(StoreConfiguration configuration, Disk disk) {
        Path path = configuration.get(StoreOption.DIRECTORY);
        Taker taker = new Taker(
                configuration.find(StoreOption.NODE_ID),
                configuration.isAdopting(),
                configuration.get(StoreOption.PATIENCE));
        StoreDirectory directory = null;
        try {
            directory = StoreDirectory.take(disk, path, KIND, configuration.get(StoreOption.EXPECT_EXISTING), taker);
            NotebookStore store = new NotebookStore(disk, directory, configuration);
            store.recover();
            directory.bind();
            return store;
        } catch (StoreDirectoryException refused) {
            throw translated(path, refused);
        } catch (IOException failed) {
            closeQuietly(directory, failed);
            throw new StoreIoException(
                    "directory=" + path + " cannot be opened: " + failed.getMessage()
                            + "; check the disk; nothing that was stored was changed",
                    failed);
        }
    }

    private static StoreException translated(Path path, StoreDirectoryException refused) {
        return switch (refused.reason()) {
            case LOCKED -> new StoreLockedException(refused.getMessage(), refused);
            case LOST -> StoreIoException.ofMarkedLoss(refused.getMessage(), refused);
            case UNANSWERED -> StoreLockedException.whileAWriteIsOut(refused.getMessage(), refused);
            case FOREIGN -> new UnsupportedFormatException(refused.getMessage());
            case CORRUPT -> new CorruptStoreException(path, 0, refused.getMessage(), "restore it from a backup");
            case COPY -> StoreIoException.ofACopy(refused.getMessage(), refused);
            case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
        };
    }

    private static void closeQuietly(StoreDirectory directory, IOException failed) {
        try {
            if (directory != null) {
                directory.close();
            }
        } catch (IOException alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }

    private synchronized void recover() throws IOException {
        Path path = directory.path().resolve(NotebookFile.NAME);
        Path ready = directory.path().resolve(NotebookFile.READY);
        boolean isReady = disk.kindOf(ready) != Disk.PathKind.MISSING;
        if (disk.kindOf(path) == Disk.PathKind.MISSING) {
            if (isReady) {
                throw new IOException("file=" + path + " is missing, and was there; put it back or restore a backup");
            }
        } else {
            for (NotebookFile.Line line : NotebookFile.read(disk, path).lines()) {
                put(line.key(), line.image());
            }
        }
        images.forEach((key, image) -> statistics.imageChanged(StateImage.ABSENT, image));
        rewrite();
        if (!isReady) {
            disk.open(ready, OpenMode.CREATE_NEW).close();
            disk.forceDirectory(directory.path());
        }
    }

    /** Writes what lives into a new file, which has the name of the old one when all of it is on disk. */
    private void rewrite() throws IOException {
        Path fresh = directory.path().resolve(FRESH);
        if (disk.kindOf(fresh) != Disk.PathKind.MISSING) {
            disk.delete(fresh); // of a life that was cut off
        }
        DiskFile next = disk.open(fresh, OpenMode.CREATE_NEW);
        boolean isInPlace = false;
        try {
            long at = 0;
            for (Map.Entry<StateKey, StateImage> each : images.entrySet()) {
                ByteBuffer line = NotebookFile.encoded(each.getKey(), each.getValue());
                int length = line.remaining();
                next.writeFully(line, at);
                at += length;
            }
            next.force();
            disk.rename(fresh, directory.path().resolve(NotebookFile.NAME));
            disk.forceDirectory(directory.path());
            isInPlace = true;
            if (file != null) {
                file.close();
            }
            file = next;
            end = at;
            livingAtRewrite = at;
            unforced = 0;
        } finally {
            if (!isInPlace) {
                next.close();
            }
        }
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        byte[] copy = copied(state);
        change(key, image -> image.write(copy), durability);
        statistics.written();
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        byte[] copy = copied(state);
        try {
            write(key, copy, Durability.FORCED);
            return CompletableFuture.completedStage(null);
        } catch (OutcomeUnknownException unknown) {
            return CompletableFuture.failedStage(unknown);
        }
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return removed(change(key, StateImage::remove, durability).committed() != null);
    }

    @Override
    public synchronized void force() {
        checkSound();
        forceFile();
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        byte[] copy = copied(state);
        change(key, image -> image.writeShadow(copy), durability);
        statistics.written();
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        StateImage image = imageOf(key);
        return read(image.isHidden() ? null : image.shadow());
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        boolean isCommitted = change(key, StateImage::commitShadow, durability).shadow() != null;
        if (isCommitted) {
            statistics.written();
        }
        return isCommitted;
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return removed(change(key, StateImage::discardShadow, durability).shadow() != null);
    }

    @Override
    public synchronized Set<String> types() {
        checkOpen();
        Set<String> types = new HashSet<>();
        images.keySet().forEach(key -> types.add(key.type()));
        return types;
    }

    @Override
    public synchronized List<StateKey> keys(String type) {
        Objects.requireNonNull(type, "type");
        checkOpen();
        return images.keySet().stream().filter(key -> key.type().equals(type)).toList();
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        StateImage image = imageOf(key);
        return read(image.isHidden() ? null : image.committed());
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return imageOf(key).status();
    }

    @Override
    public boolean hide(StateKey key) {
        return !change(key, StateImage::hide, Durability.FORCED).isAbsent();
    }

    @Override
    public boolean reveal(StateKey key) {
        return !change(key, StateImage::reveal, Durability.FORCED).isAbsent();
    }

    @Override
    public StoreDescription description() {
        return new StoreDescription(
                "notebook", Optional.empty(), Optional.of("channel"), Optional.of(directory.path()), "an example");
    }

    @Override
    public StoreStatistics statistics() {
        return statistics.snapshot();
    }

    @Override
    public synchronized void proveOwned() {
        checkOpen();
    }

    @Override
    public synchronized Optional<StoreException> failure() {
        checkOpen();
        return Optional.ofNullable(failure).map(this::failed);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (StoreDirectory place = directory;
                DiskFile open = file) {
            if (failure == null && unforced > 0) {
                open.force();
            }
        } catch (IOException atTheEnd) {
            failure = atTheEnd;
        }
        if (failure != null) {
            throw new StoreFailedException(
                    "directory=" + directory.path() + ": the end of the log may not be on disk", failure);
        }
    }

    /** Performs the move and answers the image before it. */
    private synchronized StateImage change(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(durability, "durability");
        checkSound();
        StateImage before = images.getOrDefault(key, StateImage.ABSENT);
        StateImage after = move.apply(before);
        if (after != before) {
            append(NotebookFile.encoded(key, after));
        }
        if (durability == Durability.FORCED) {
            forceFile();
        }
        if (after != before) {
            put(key, after);
            statistics.imageChanged(before, after);
            rewriteIfMostlyDead();
        }
        return before;
    }

    private void append(ByteBuffer line) {
        int length = line.remaining();
        try {
            file.writeFully(line, end);
        } catch (IOException failed) {
            throw unknown(failed);
        }
        end += length;
        unforced++;
        statistics.bytesWritten(length);
    }

    private void forceFile() {
        if (unforced == 0) {
            return;
        }
        long started = System.nanoTime();
        try {
            file.force();
        } catch (IOException failed) {
            throw unknown(failed);
        }
        statistics.forced(unforced, System.nanoTime() - started);
        unforced = 0;
    }

    // The change is on disk, or need not be: whatever goes wrong here ends the store, but not with its outcome unknown.
    private void rewriteIfMostlyDead() {
        if (end > rewriteAbove && end > 2 * livingAtRewrite) {
            try {
                rewrite();
            } catch (IOException failed) {
                failure = failed;
            }
        }
    }

    private StoreException unknown(IOException failed) {
        failure = failed;
        return new OutcomeUnknownException(
                "directory=" + directory.path() + ": " + failed.getMessage() + "; open the store again", failed);
    }

    private void put(StateKey key, StateImage image) {
        if (image.isAbsent()) {
            images.remove(key);
        } else {
            images.put(key, image);
        }
    }

    private synchronized StateImage imageOf(StateKey key) {
        Objects.requireNonNull(key, "key");
        checkOpen();
        return images.getOrDefault(key, StateImage.ABSENT);
    }

    private Optional<byte[]> read(byte[] value) {
        if (value != null) {
            statistics.read();
        }
        return Optional.ofNullable(value).map(byte[]::clone);
    }

    private boolean removed(boolean isRemoved) {
        if (isRemoved) {
            statistics.removed();
        }
        return isRemoved;
    }

    private byte[] copied(byte[] state) {
        if (state.length > maxStateBytes) {
            throw new IllegalArgumentException("state has length=" + state.length + " bytes; the maximum is "
                    + maxStateBytes + " (" + StoreOption.MAX_STATE_SIZE.key() + ")");
        }
        return state.clone();
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreClosedException("directory=" + directory.path() + " was closed; open it again");
        }
    }

    private void checkSound() {
        checkOpen();
        if (failure != null) {
            throw failed(failure);
        }
    }

    private StoreFailedException failed(Throwable cause) {
        return new StoreFailedException(
                "directory=" + directory.path() + " has failed: " + cause.getMessage() + "; open it again", cause);
    }
}

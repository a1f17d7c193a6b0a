package io.tallystick.testkit;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
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
import java.util.zip.CRC32C;

/**
 * The smallest durable store that is right, to test the tools with: one lock, one log of whole images, one force per
 * forced operation. On opening, the live images are written to a new log that takes the old one's name. With a
 * {@link ToyBug} it is wrong in one way.
 */
public final class ToyStore implements ObjectStore {
    public static final int MAX_STATE_BYTES = 64 * 1024;

    private static final String LOG = "toy.log";
    private static final int HEADER_BYTES = 8;

    private final Disk disk;
    private final StoreDirectory directory;
    private final Set<ToyBug> bugs;
    private final StatisticsRecorder statistics = new StatisticsRecorder();

    // volatile maps and a copy on each change, so that DIRTY_READ can read past the lock
    private volatile Map<StateKey, StateImage> images = new HashMap<>();
    private DiskFile log;
    private long end;
    private long unforced;
    private Throwable failure;
    private boolean closed;

    private ToyStore(Disk disk, StoreDirectory directory, Set<ToyBug> bugs) {
        this.disk = disk;
        this.directory = directory;
        this.bugs = bugs;
    }

    public static ToyStore open(Disk disk, Path path, ToyBug... bugs) {
        StoreDirectory directory = null;
        try {
            directory = StoreDirectory.take(disk, path, "toy-v1", false);
            EnumSet<ToyBug> set = EnumSet.noneOf(ToyBug.class);
            set.addAll(List.of(bugs));
            ToyStore store = new ToyStore(disk, directory, set);
            store.recover();
            return store;
        } catch (StoreDirectoryException refused) {
            throw switch (refused.reason()) {
                case LOCKED -> new StoreLockedException(refused.getMessage(), refused);
                case LOST -> StoreIoException.ofMarkedLoss(refused.getMessage(), refused);
                case UNANSWERED -> StoreLockedException.whileAWriteIsOut(refused.getMessage(), refused);
                case FOREIGN -> new UnsupportedFormatException(refused.getMessage());
                case CORRUPT -> new CorruptStoreException(path, 0, refused.getMessage(), "restore it");
                case COPY -> StoreIoException.ofACopy(refused.getMessage(), refused);
                case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
            };
        } catch (IOException failed) {
            closeQuietly(directory, failed);
            throw new StoreIoException("directory=" + path + " cannot be opened: " + failed.getMessage(), failed);
        }
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

    private void recover() throws IOException {
        Path path = directory.path().resolve(LOG);
        boolean exists = disk.kindOf(path) == Disk.PathKind.FILE;
        if (exists) {
            replay(path);
        }
        if (exists && (has(ToyBug.APPEND_BEHIND_TORN_TAIL) || has(ToyBug.SHOW_UNFORCED_ON_OPEN))) {
            log = disk.open(path, OpenMode.READ_WRITE);
            end = has(ToyBug.APPEND_BEHIND_TORN_TAIL) ? log.size() : end;
            return;
        }
        Path temporary = directory.path().resolve(LOG + ".tmp");
        try {
            disk.delete(temporary);
        } catch (NoSuchFileException usual) {
            // no crash left one
        }
        log = disk.open(temporary, OpenMode.CREATE_NEW);
        end = 0;
        try {
            for (Map.Entry<StateKey, StateImage> entry : images.entrySet()) {
                append(encoded(entry.getKey(), entry.getValue()));
            }
            if (!has(ToyBug.RENAME_BEFORE_FORCE)) {
                log.force();
            }
            disk.rename(temporary, path);
            if (has(ToyBug.RENAME_BEFORE_FORCE)) {
                log.force();
            }
            if (!has(ToyBug.NO_DIRECTORY_FORCE)) {
                disk.forceDirectory(directory.path());
            }
        } catch (IOException failed) {
            log.close();
            throw failed;
        }
    }

    private void replay(Path path) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.size()));
            try {
                file.readFully(all, 0);
            } catch (IOException unreadable) {
                if (!has(ToyBug.UNREADABLE_IS_EMPTY)) {
                    throw unreadable;
                }
                all.clear();
            }
            all.flip();
            while (all.remaining() >= HEADER_BYTES) {
                int length = all.getInt();
                int checksum = all.getInt();
                if (length <= 0 || length > all.remaining()) {
                    break;
                }
                ByteBuffer body = all.slice(all.position(), length);
                if (!has(ToyBug.NO_CHECKSUM) && checksum(body) != checksum) {
                    break;
                }
                all.position(all.position() + length);
                end = all.position();
                decode(body);
            }
        }
        images.forEach((key, image) -> statistics.imageChanged(StateImage.ABSENT, image));
    }

    private void decode(ByteBuffer body) {
        boolean hidden = body.get() != 0;
        String type = new String(bytes(body), StandardCharsets.UTF_8);
        byte[] id = bytes(body);
        StateImage image = StateImage.of(bytes(body), bytes(body), hidden);
        if (!type.startsWith("/") || id.length == 0) {
            return; // only NO_CHECKSUM comes here
        }
        put(StateKey.of(type, ObjectId.of(id)), image);
    }

    private static byte[] bytes(ByteBuffer body) {
        int length = body.getInt();
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    private ByteBuffer encoded(StateKey key, StateImage image) {
        byte[] type = key.type().getBytes(StandardCharsets.UTF_8);
        byte[] id = key.id().toBytes();
        int length = 1 + 4 * Integer.BYTES + type.length + id.length + Math.toIntExact(image.bytes());
        ByteBuffer record = ByteBuffer.allocate(HEADER_BYTES + length);
        record.position(HEADER_BYTES);
        record.put((byte) (image.isHidden() ? 1 : 0));
        for (byte[] part : new byte[][] {type, id, image.committed(), image.shadow()}) {
            record.putInt(part == null ? -1 : part.length);
            if (part != null) {
                record.put(part);
            }
        }
        record.putInt(0, length);
        record.putInt(Integer.BYTES, checksum(record.slice(HEADER_BYTES, length)));
        return record.flip();
    }

    private int checksum(ByteBuffer body) {
        ByteBuffer covered = body.duplicate().position(0);
        if (has(ToyBug.CHECKSUM_WITHOUT_KEY)) {
            int keyBytes = 1;
            keyBytes += Integer.BYTES + Math.max(0, covered.getInt(keyBytes));
            keyBytes += Integer.BYTES + Math.max(0, covered.getInt(keyBytes));
            covered.position(keyBytes);
        }
        CRC32C crc = new CRC32C();
        crc.update(covered);
        return (int) crc.getValue();
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        byte[] copy = copied(state);
        change(key, image -> image.write(copy), durability);
        statistics.written();
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        write(key, state, Durability.FORCED);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return removed(change(key, StateImage::remove, durability).committed() != null);
    }

    @Override
    public synchronized void force() {
        checkSound();
        forceLog();
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
        boolean committed = change(key, StateImage::commitShadow, durability).shadow() != null;
        if (committed) {
            statistics.written();
        }
        return committed;
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
                "toy", Optional.empty(), Optional.of("channel"), Optional.of(directory.path()), "for tests only");
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
        return Optional.ofNullable(failure).map(cause -> new StoreFailedException("failed", cause));
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (failure == null && unforced > 0 && !has(ToyBug.CLOSE_WITHOUT_FORCE)) {
                forceLog();
            }
        } catch (StoreException failed) {
            failure = failed;
        }
        try {
            log.close();
            directory.close();
        } catch (IOException failed) {
            failure = failed;
        }
        if (failure != null && !has(ToyBug.SWALLOW_FAILED_CLOSE)) {
            throw new StoreFailedException("the end of the log may not be on disk", failure);
        }
    }

    /** Performs the move and answers the image before it. */
    private synchronized StateImage change(StateKey key, UnaryOperator<StateImage> move, Durability durability) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(durability, "durability");
        checkSound();
        StateImage before = images.getOrDefault(key, StateImage.ABSENT);
        StateImage after = move.apply(before);
        boolean forced = durability == Durability.FORCED && !has(ToyBug.SKIP_FORCE);
        if (after == before) {
            if (forced && !has(ToyBug.NOTHING_TO_FORCE)) {
                forceLog();
            }
            return before;
        }
        if (has(ToyBug.DIRTY_READ)) {
            put(key, after);
        }
        if (forced && has(ToyBug.FORCE_BEFORE_WRITE)) {
            forceLog();
        }
        try {
            append(encoded(key, after));
        } catch (IOException failed) {
            throw unknown(failed);
        }
        if (forced && !has(ToyBug.FORCE_BEFORE_WRITE)) {
            forceLog();
        }
        put(key, after);
        statistics.imageChanged(before, after);
        return before;
    }

    private void append(ByteBuffer record) throws IOException {
        int length = record.remaining();
        if (has(ToyBug.IGNORE_SHORT_WRITE)) {
            log.write(record, end);
        } else {
            log.writeFully(record, end);
        }
        end += length;
        unforced++;
        statistics.bytesWritten(length);
    }

    private void forceLog() {
        if (unforced == 0) {
            return;
        }
        long started = System.nanoTime();
        try {
            log.force();
        } catch (IOException failed) {
            retry(failed);
        }
        statistics.forced(unforced, System.nanoTime() - started);
        unforced = 0;
    }

    private void retry(IOException failed) {
        if (has(ToyBug.RETRY_FORCE)) {
            try {
                log.force();
                return;
            } catch (IOException again) {
                failed.addSuppressed(again);
            }
        }
        if (!has(ToyBug.SWALLOW_FAILED_FORCE)) {
            throw unknown(failed);
        }
    }

    private StoreException unknown(IOException failed) {
        if (!has(ToyBug.NO_FAIL_STOP)) {
            failure = failed;
        }
        String message = "directory=" + directory.path() + ": " + failed.getMessage() + "; open the store again";
        return has(ToyBug.UNKNOWN_TOLD_AS_NOT_WRITTEN)
                ? new StoreIoException(message, failed)
                : new OutcomeUnknownException(message, failed);
    }

    private void put(StateKey key, StateImage image) {
        Map<StateKey, StateImage> next = has(ToyBug.DIRTY_READ) ? new HashMap<>(images) : images;
        if (image.isAbsent()) {
            next.remove(key);
        } else {
            next.put(key, image);
        }
        images = next;
    }

    private StateImage imageOf(StateKey key) {
        Objects.requireNonNull(key, "key");
        if (has(ToyBug.DIRTY_READ)) {
            return images.getOrDefault(key, StateImage.ABSENT);
        }
        synchronized (this) {
            checkOpen();
            return images.getOrDefault(key, StateImage.ABSENT);
        }
    }

    private Optional<byte[]> read(byte[] value) {
        if (value != null) {
            statistics.read();
        }
        return Optional.ofNullable(value).map(byte[]::clone);
    }

    private boolean removed(boolean removed) {
        if (removed) {
            statistics.removed();
        }
        return removed;
    }

    private static byte[] copied(byte[] state) {
        if (state.length > MAX_STATE_BYTES) {
            throw new IllegalArgumentException(
                    "state has length=" + state.length + " bytes; the maximum is " + MAX_STATE_BYTES);
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
            throw new StoreFailedException("directory=" + directory.path() + " failed earlier; open it again", failure);
        }
    }

    private boolean has(ToyBug bug) {
        return bugs.contains(bug);
    }
}

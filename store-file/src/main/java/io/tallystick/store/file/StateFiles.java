package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.StateFileEncoder;
import io.tallystick.store.file.format.StateFileFormat;
import io.tallystick.store.file.format.StateFileReader;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes and reads single files; {@link SyncRounds} changes their names. */
final class StateFiles {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    // The bytes of one write; a channel allocates as much memory outside the heap, for each thread and for good.
    private static final int CHUNK_BYTES = 64 * 1024;

    private final StoreContext context;
    private final Disk disk;
    private final FailStop failStop;
    private final StateFileEncoder encoder;
    private final AtomicLong sequence;

    /**
     * The files of one opening of a store.
     *
     * @param lastSequence the highest sequence in any file
     */
    StateFiles(StoreContext context, StateFileEncoder encoder, long lastSequence) {
        this.context = context;
        this.disk = context.disk();
        this.failStop = context.failStop();
        this.encoder = encoder;
        this.sequence = new AtomicLong(lastSequence);
    }

    /**
     * Writes the image into a file that has no key's name yet.
     *
     * @throws StoreFullException there is no room; the file is dropped
     * @throws StoreIoException the file cannot be made or opened
     * @throws io.tallystick.store.OutcomeUnknownException the disk failed, and so has the store
     */
    WrittenFile write(TypeDirectory directory, StateKey key, StateImage image) {
        long number = sequence.incrementAndGet();
        ByteBuffer content = encoder.encode(key, directory.typeBytes(), image, number);
        WrittenFile written = unwritten(directory, image, number, content.capacity() == StateFileFormat.BLOCK_BYTES);
        try {
            writeInChunks(written.file(), content);
        } catch (IOException failed) {
            throw dropped(written, failed, content.capacity());
        } catch (RuntimeException | Error failed) {
            written.abandon();
            throw failed;
        }
        context.statistics().bytesWritten(content.capacity());
        return written;
    }

    /**
     * Forces a file of {@link #write}. Returns the file if it stays open, else null.
     *
     * @throws StoreFullException there is no room; the file is dropped
     * @throws io.tallystick.store.OutcomeUnknownException the disk failed, and so has the store
     */
    OpenFiles.@Nullable Kept force(WrittenFile written) {
        try {
            return written.force();
        } catch (IOException failed) {
            throw dropped(written, failed, 0);
        } catch (RuntimeException | Error failed) {
            written.abandon();
            throw failed;
        }
    }

    private WrittenFile unwritten(TypeDirectory directory, StateImage image, long number, boolean isOneBlock) {
        SpareFiles spares = directory.spares();
        SpareFiles.Spare spare = isOneBlock ? spares.poll() : null;
        boolean isLeft = spare != null;
        DiskFile file = null;
        try {
            file = spare == null ? null : openedOrNull(spare);
            boolean isReused = file != null;
            Path path = spare != null && isReused ? spare.path() : spares.newPath();
            StoredState stored = StoredState.inFile(image, new StoredState.Elsewhere(path, number));
            if (file == null) {
                file = create(path);
            }
            WrittenFile written = new WrittenFile(path, file, isOneBlock, stored, context);
            isLeft &= !isReused;
            return written;
        } catch (RuntimeException | Error failed) {
            OpenFiles.close(file);
            throw failed;
        } finally {
            if (spare != null && isLeft) {
                spares.putBack(spare.path());
            }
        }
    }

    /** Null if it cannot be opened: a new file may do, and tells why if not. */
    private @Nullable DiskFile openedOrNull(SpareFiles.Spare spare) {
        if (spare.openOrNull() != null) {
            return spare.openOrNull();
        }
        try {
            return disk.open(spare.path(), OpenMode.READ_WRITE);
        } catch (IOException refused) {
            return null;
        }
    }

    private DiskFile create(Path path) {
        try {
            return disk.open(path, OpenMode.CREATE_NEW);
        } catch (IOException refused) {
            if (Shortage.isShortageOfRoom(refused)) {
                throw FullDisk.refusal(path, refused);
            }
            throw new StoreIoException(
                    "file=" + path + " cannot be opened to write (" + refused
                            + "), so nothing was written; check the directory's permissions and the process' limits",
                    refused);
        }
    }

    private static void writeInChunks(DiskFile file, ByteBuffer content) throws IOException {
        for (int at = 0; at < content.capacity(); at += CHUNK_BYTES) {
            file.writeFully(content.slice(at, Math.min(CHUNK_BYTES, content.capacity() - at)), at);
        }
    }

    private StoreException dropped(WrittenFile written, IOException failed, long bytes) {
        written.abandon();
        if (FullDisk.isBehind(failed, disk, written.path(), bytes)) {
            drop(disk, written.path());
            return FullDisk.refusal(written.path(), failed);
        }
        failStop.fail("file=" + written.path() + " could not be written or forced", failed);
        return failStop.unknown();
    }

    /** Deletes a file that holds no state; where that fails, it is deleted when the store is opened again. */
    static void drop(Disk disk, Path path) {
        try {
            disk.delete(path);
        } catch (IOException kept) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0502 file=" + path
                            + " holds no state and could not be deleted; the next opening of the store deletes it",
                    kept);
        }
    }

    /** The image of a key that has this state; from memory, or as {@link #read}. */
    StateImage imageOf(TypeDirectory directory, StateKey key, StoredState stored) {
        StateImage inMemory = stored.imageInMemory();
        return inMemory != null ? inMemory : read(directory, key, stored);
    }

    /**
     * The image of a key whose state is in its file. A reader is not in the key's queue, so the file may change
     * meanwhile. The reader checks afterwards that this is still the key's state, and otherwise drops the image.
     *
     * @throws CorruptStoreException the file is damaged, missing, or another key's
     * @throws StoreIoException it cannot be read, or was lost before it was forced
     */
    private StateImage read(TypeDirectory directory, StateKey key, StoredState stored) {
        Path state = directory.stateFile(key.id());
        StoredState.Elsewhere elsewhere = stored.elsewhere();
        if (elsewhere == null) {
            return read(state, key).image();
        }
        try {
            return read(elsewhere.path(), key).image();
        } catch (StoreException failed) {
            return readRenamed(state, key, elsewhere, failed);
        }
    }

    /**
     * The image in a file that was moved: a round has given it the key's name, and has not said so yet. It never says
     * so if the rename was done and reported as failed. The sequence tells the file from the one that had the name
     * before.
     *
     * <p>The system may have lost the content of a file that was not forced. That is no damage: nothing was promised,
     * and no backup has that state. A store that has not failed yet will be told by the force.
     */
    private StateImage readRenamed(
            Path state, StateKey key, StoredState.Elsewhere elsewhere, StoreException notElsewhere) {
        try {
            StateFileReader.Content content = read(state, key);
            if (content.sequence() == elsewhere.sequence()) {
                return content.image();
            }
        } catch (StoreIoException unreadable) { // it is there, so nothing is missing
            unreadable.addSuppressed(notElsewhere);
            throw unreadable;
        } catch (StoreException alsoFailed) {
            notElsewhere.addSuppressed(alsoFailed);
        }
        boolean maybeLost = failStop.failure().isPresent() || isThere(elsewhere.path());
        if (maybeLost && notElsewhere instanceof CorruptStoreException) {
            throw new StoreIoException(
                    "the state of " + key.toPrintable() + " was not on disk yet, and cannot be read ("
                            + notElsewhere.getMessage()
                            + "); close the store, mend the cause and open it again: recovery finds the states on disk",
                    notElsewhere);
        }
        throw notElsewhere;
    }

    private boolean isThere(Path path) {
        try {
            return disk.kindOf(path) != Disk.PathKind.MISSING;
        } catch (IOException unknown) {
            return true;
        }
    }

    private StateFileReader.Content read(Path path, StateKey key) {
        StateFileReader.Content content;
        try {
            content = new StateFileReader(path, encoder.store()).read(disk);
        } catch (NoSuchFileException missing) {
            throw new CorruptStoreException(path, 0, "the file was written and is not there", StateFileReader.REMEDY);
        } catch (IOException unreadable) {
            throw new StoreIoException(
                    "file=" + path + " cannot be read (" + unreadable + "); check the disk", unreadable);
        }
        if (!content.key().equals(key)) {
            throw misplaced(path, content.key());
        }
        return content;
    }

    /** Says that a file holds the state of another key than the one whose name it has. */
    static CorruptStoreException misplaced(Path path, StateKey found) {
        return new CorruptStoreException(
                path,
                StateFileFormat.HEADER_BYTES,
                "the file holds the state of " + found.toPrintable() + ", whose place is another one",
                StateFileReader.REMEDY);
    }
}

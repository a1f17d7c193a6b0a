package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Writes and reads single files; names are the business of {@link SyncRounds}. */
final class StateFiles {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    // What is written at once; a channel allocates as much memory outside the heap, for each thread and for good.
    private static final int CHUNK_BYTES = 64 * 1024;

    private final Disk disk;
    private final NanoClock clock;
    private final FailStop failStop;
    private final StatisticsRecorder statistics;
    private final OpenFiles openFiles;
    private final byte[] store;
    private final long opening;
    private final AtomicLong sequence;

    /**
     * The files of one opening of a store.
     *
     * @param store unique id of the store
     * @param opening a random number, so that no two files ever have the same opening and sequence
     * @param lastSequence the highest sequence in any file
     */
    StateFiles(
            Disk disk,
            NanoClock clock,
            FailStop failStop,
            StatisticsRecorder statistics,
            OpenFiles openFiles,
            byte[] store,
            long opening,
            long lastSequence) {
        this.disk = disk;
        this.clock = clock;
        this.failStop = failStop;
        this.statistics = statistics;
        this.openFiles = openFiles;
        this.store = store;
        this.opening = opening;
        this.sequence = new AtomicLong(lastSequence);
    }

    /**
     * Writes the image into a file that has no key's name yet.
     *
     * @throws StoreFullException there is no room; the file is dropped
     * @throws StoreIoException there is no such file to be had
     * @throws io.tallystick.store.OutcomeUnknownException the disk failed, and so has the store
     */
    WrittenFile write(TypeDirectory directory, StateKey key, StateImage image) {
        ByteBuffer content =
                StateFileFormat.encode(key, directory.typeBytes(), image, store, opening, sequence.incrementAndGet());
        WrittenFile written = unwritten(directory, content.capacity() == StateFileFormat.BLOCK_BYTES);
        try {
            writeInChunks(written.file(), content);
        } catch (IOException failed) {
            throw dropped(written, failed, content.capacity());
        }
        statistics.bytesWritten(content.capacity());
        return written;
    }

    /**
     * Brings to disk what {@link #write} wrote. Returns the file if it stays open, else null.
     *
     * @throws StoreFullException there is no room; the file is dropped
     * @throws io.tallystick.store.OutcomeUnknownException the disk failed, and so has the store
     */
    OpenFiles.Kept force(WrittenFile written) {
        try {
            return written.force();
        } catch (IOException failed) {
            throw dropped(written, failed, 0);
        }
    }

    private WrittenFile unwritten(TypeDirectory directory, boolean isOneBlock) {
        SpareFiles.Spare spare = isOneBlock ? directory.spares().poll() : null;
        if (spare == null) {
            Path path = directory.spares().newPath();
            return written(path, open(path, OpenMode.CREATE_NEW), isOneBlock);
        }
        DiskFile file = spare.openOrNull() != null ? spare.openOrNull() : open(spare.path(), OpenMode.READ_WRITE);
        return written(spare.path(), file, true);
    }

    private WrittenFile written(Path path, DiskFile file, boolean isOneBlock) {
        return new WrittenFile(path, file, isOneBlock, openFiles, clock, statistics);
    }

    private DiskFile open(Path path, OpenMode mode) {
        try {
            return disk.open(path, mode);
        } catch (IOException refused) {
            if (Shortage.isToldBy(refused)) {
                throw Shortage.refusal(path, refused);
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
        if (Shortage.isBehind(failed, disk, written.path(), bytes)) {
            drop(disk, written.path());
            return Shortage.refusal(written.path(), failed);
        }
        failStop.fail("file=" + written.path() + " could not be written or forced", failed);
        return failStop.unknown();
    }

    /** Deletes a file that stands for nothing; where that fails, it is deleted when the store is opened again. */
    static void drop(Disk disk, Path path) {
        try {
            disk.delete(path);
        } catch (IOException kept) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0502 file=" + path
                            + " stands for nothing and could not be deleted; opening the store again will",
                    kept);
        }
    }

    /**
     * The image of a key that has one. Whoever calls this without having the key's turn must look afterwards whether what is
     * held has changed, and forget what came out if it has.
     *
     * @throws CorruptStoreException the file is damaged, missing, or another key's
     * @throws StoreIoException it cannot be read
     */
    StateImage read(TypeDirectory directory, StateKey key, Held held) {
        while (true) {
            Path elsewhere = held.elsewhere();
            try {
                return read(elsewhere != null ? elsewhere : directory.stateFile(key.id()), key);
            } catch (StoreException failed) {
                if (held.elsewhere() == elsewhere) {
                    throw failed;
                }
                // The file has been given its name in the meantime.
            }
        }
    }

    private StateImage read(Path path, StateKey key) {
        StateFileReader.Content content;
        try {
            content = new StateFileReader(path, store).read(disk);
        } catch (NoSuchFileException missing) {
            throw new CorruptStoreException(path, 0, "the file was written and is not there", StateFileReader.REMEDY);
        } catch (IOException unreadable) {
            throw new StoreIoException(
                    "file=" + path + " cannot be read (" + unreadable + "); check the disk", unreadable);
        }
        if (!content.key().equals(key)) {
            throw misplaced(path, content.key());
        }
        return content.image();
    }

    /** For a file that holds the state of another key than the one whose name it has. */
    static CorruptStoreException misplaced(Path path, StateKey found) {
        return new CorruptStoreException(
                path,
                StateFileFormat.HEADER_BYTES,
                "the file holds the state of " + found.toPrintable() + ", whose place is another one",
                StateFileReader.REMEDY);
    }
}

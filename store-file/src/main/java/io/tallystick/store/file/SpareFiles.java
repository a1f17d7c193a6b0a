package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.store.file.format.FileNames;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The files of one directory that hold no state: just made, or left by a removal. A write into a file that is there
 * costs the disk one write. A new file, or one that grows, costs the file system a transaction of its own.
 *
 * <p>A removed file is offered here only when its removal is on disk. Before that a crash may bring back its old name,
 * and new content would be found under that name.
 */
final class SpareFiles {
    /** Files of one block that one directory keeps; 4 MiB. */
    static final int MAX_KEPT = 1024;

    private final Path directory;
    private final AtomicLong numbers;
    private final OpenFiles openFiles;
    private final ConcurrentLinkedDeque<Spare> ready = new ConcurrentLinkedDeque<>();

    // Files that are ready or will be when their removal is on disk.
    private final AtomicInteger kept = new AtomicInteger();

    /**
     * The spare files of {@code directory}, none yet.
     *
     * @param numbers gives each name of this opening of the store a number of its own
     */
    SpareFiles(Path directory, AtomicLong numbers, OpenFiles openFiles) {
        this.directory = directory;
        this.numbers = numbers;
        this.openFiles = openFiles;
    }

    /**
     * A file of one block whose content means nothing.
     *
     * @param openOrNull the file, if it is open
     */
    record Spare(Path path, @Nullable DiskFile openOrNull) {}

    /** A path at which there is nothing. */
    Path newPath() {
        return directory.resolve(FileNames.spare(numbers.incrementAndGet()));
    }

    /** A spare file, now the caller's; null if there is none. */
    @Nullable Spare poll() {
        Spare spare = ready.pollFirst();
        if (spare != null) {
            kept.decrementAndGet();
            if (spare.openOrNull != null) {
                openFiles.spareTaken();
            }
        }
        return spare;
    }

    /** Whether one more file may be kept; if so, {@link #offer} or {@link #giveUp} must follow. */
    boolean reserve() {
        if (kept.incrementAndGet() <= MAX_KEPT) {
            return true;
        }
        kept.decrementAndGet();
        return false;
    }

    /** Keeps a file for which there is a reservation, and whose earlier name is gone from the disk. */
    void offer(Path path, @Nullable DiskFile openOrNull) {
        DiskFile open = openOrNull;
        if (open != null && !openFiles.mayKeepSpare()) {
            OpenFiles.close(open);
            open = null;
        }
        ready.addFirst(new Spare(path, open));
    }

    /**
     * Keeps a file of {@link #poll} that could not be opened, so that it is deleted at the closing. It is the last to
     * be used.
     */
    void putBack(Path path) {
        kept.incrementAndGet();
        ready.addLast(new Spare(path, null));
    }

    /** Gives a reservation back. */
    void giveUp() {
        kept.decrementAndGet();
    }

    /** Deletes the files that are ready. */
    void dropAll(Disk disk) {
        for (Spare spare = poll(); spare != null; spare = poll()) {
            OpenFiles.close(spare.openOrNull);
            StateFiles.drop(disk, spare.path);
        }
    }

    /** Closes the files that are ready, and keeps them. */
    void closeAll() {
        for (Spare spare = poll(); spare != null; spare = poll()) {
            OpenFiles.close(spare.openOrNull);
        }
    }
}

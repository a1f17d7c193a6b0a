package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Forces directories, each by one thread at a time.
 *
 * <p>An operating system reports an error of writing names once, to the processes that have the directory open at that
 * time. A force that opens the directory afterwards succeeds, although earlier changes of names are lost. So no force
 * of a directory begins beside another one, and none after one that has failed.
 */
final class DirectoryForces {
    private final Disk disk;

    // One for each directory that was ever forced; directories are never deleted.
    private final ConcurrentHashMap<Path, Forcing> directories = new ConcurrentHashMap<>();

    DirectoryForces(Disk disk) {
        this.disk = disk;
    }

    /** The lock that is held while a directory is forced, and the first failure. */
    private static final class Forcing {
        final ReentrantLock lock = new ReentrantLock();
        // Null while all forces have succeeded.
        @GuardedBy("lock") @Nullable Throwable failure;
    }

    /**
     * Brings all changes of names that were made in the directory to disk.
     *
     * @throws IOException they may not be: this force has failed, or one before
     */
    void force(Path directory) throws IOException {
        Forcing forcing = directories.computeIfAbsent(directory, path -> new Forcing());
        forcing.lock.lock();
        try {
            if (forcing.failure != null) {
                throw new IOException(
                        "directory=" + directory + " is not forced again after a force that failed", forcing.failure);
            }
            disk.forceDirectory(directory);
        } catch (IOException | RuntimeException | Error failed) {
            if (forcing.failure == null) {
                forcing.failure = failed;
            }
            throw failed;
        } finally {
            forcing.lock.unlock();
        }
    }
}

package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A node's request to the adopter of its directory: close the store and leave. The request is the lock of the file
 * {@value #FILE_NAME}, not the file. So it ends with the process that asks, and a file that a killed process has left
 * means nothing.
 */
final class HomeRequest {
    /** The lock file of the request, in the store's directory. */
    static final String FILE_NAME = "tallystick.request";

    private static final System.Logger LOG = System.getLogger(HomeRequest.class.getName());

    private HomeRequest() {}

    /** Whether a process asks now. */
    static boolean isMade(Disk disk, Path directory) throws IOException {
        return disk.isLocked(directory.resolve(FILE_NAME));
    }

    /** Takes the directory's lock. */
    interface Attempt {
        Optional<DiskLock> take() throws IOException;
    }

    /**
     * Asks the adopter, and waits until the directory's lock is free.
     *
     * @param adopter the text of the owner that is an adopter; empty if the owner is another one
     * @param attempt tries to take the directory's lock
     * @return the directory's lock; empty if the owner is no adopter, or did not leave in time
     */
    static Optional<DiskLock> make(
            Disk disk, Path directory, Duration atMost, Supplier<Optional<String>> adopter, Attempt attempt)
            throws IOException {
        Optional<String> asked = adopter.get();
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "TALLY0327 directory=" + directory + " was adopted by " + asked.get() + "; it is asked to leave, and"
                        + " this start waits up to " + atMost.toSeconds() + " s (tallystick.patience)");
        Path file = directory.resolve(FILE_NAME);
        Optional<DiskLock> request = Optional.empty();
        try (Patience patience = new Patience(atMost)) {
            Optional<DiskLock> lock = Optional.empty();
            while (lock.isEmpty() && adopter.get().isPresent() && patience.pauseLong()) {
                if (request.isEmpty()) { // another process of the node may ask already
                    request = disk.tryLock(file);
                }
                lock = attempt.take();
            }
            return lock.isPresent() ? lock : attempt.take();
        } finally {
            if (request.isPresent()) {
                end(disk, file, request.get());
            }
        }
    }

    private static void end(Disk disk, Path file, DiskLock request) throws IOException {
        try (request) {
            disk.delete(file);
        } catch (IOException left) {
            // The file means nothing without the lock.
        }
    }
}

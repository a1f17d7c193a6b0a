package io.tallystick.storage;

import io.tallystick.storage.Disk.PathKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A store without its lock file, which a hand has removed. The owner may live and go on writing until its
 * {@link PlaceWatch} looks. A new lock file says nothing of that owner. So who wants to make one waits until the owner
 * has looked, and has failed stop.
 *
 * <p>An owner that is stopped for longer looks before it acknowledges anything more.
 */
final class RemovedLock {
    /** Twice the time between two looks, and time for the look. */
    private static final Duration WAIT = Duration.ofMillis(2 * PlaceWatch.INTERVAL_MILLIS + 500);

    private static final System.Logger LOG = System.getLogger(RemovedLock.class.getName());

    private RemovedLock() {}

    /** Waits if there is a store without a lock file; less if another process makes the file meanwhile. */
    static void await(Disk disk, Path directory) throws IOException {
        Path file = directory.resolve(StoreDirectory.LOCK_FILE);
        Path identity = directory.resolve(StoreIdentity.FILE_NAME);
        // Where the disk does not know files apart, no owner looks.
        if (disk.kindOf(file) != PathKind.MISSING
                || disk.kindOf(identity) == PathKind.MISSING
                || disk.identityOf(identity).isEmpty()) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "TALLY0113 directory=" + directory + " holds a store without " + StoreDirectory.LOCK_FILE
                        + ": this start waits " + WAIT.toMillis() + " ms, so that a process that still has the store"
                        + " notices it and ends. In a copy that was made without that file there is none. Never delete"
                        + " it: the system frees the lock when its process ends");
        try (Patience patience = new Patience(WAIT)) {
            while (disk.kindOf(file) == PathKind.MISSING && patience.pauseLong()) {
                // until the time is over
            }
        }
    }
}

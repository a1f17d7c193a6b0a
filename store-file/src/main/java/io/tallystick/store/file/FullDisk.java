package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreFullException;
import java.io.IOException;
import java.nio.file.Path;

/** How near a disk is to having no room, and the refusal when it has none. */
final class FullDisk {
    // A disk with less than this to spare counts as full, whatever its errors say.
    private static final long NEARLY_FULL_BYTES = 64 * 1024;

    // More than all directories grow by for the changes of names that may be queued: a block for each.
    private static final long NEAR_BYTES = SyncRounds.MAX_QUEUED * 4096L + 1024 * 1024;

    private FullDisk() {}

    /**
     * Whether so little room is left that a directory could be unable to grow, for one more name, by the time a
     * deferred change is carried out.
     */
    static boolean isNear(Disk disk, Path directory) {
        try {
            return disk.usableSpace(directory) < NEAR_BYTES;
        } catch (IOException unknown) {
            return true;
        }
    }

    /**
     * Whether the error came from a lack of room, as it says or as the disk shows. It is for errors of a file that has
     * no name yet and is dropped in any case.
     *
     * @param neededBytes what was to be written
     */
    static boolean isBehind(IOException error, Disk disk, Path path, long neededBytes) {
        if (Shortage.isShortageOfRoom(error)) {
            return true;
        }
        try {
            return disk.usableSpace(path.getParent()) < neededBytes + NEARLY_FULL_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** The refusal for the caller whose state was not written. */
    static StoreFullException refusal(Path path, IOException cause) {
        return new StoreFullException(
                "file=" + path + " was not written, because the disk is full (" + cause.getMessage()
                        + "); make room, removals go on working and writes will again",
                cause);
    }
}

package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.store.StoreFullException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Tells a disk that has no room from one that is broken. */
final class Shortage {
    // strerror of ENOSPC and EDQUOT, and what Windows says.
    private static final List<String> WORDS =
            List.of("no space left", "disk quota exceeded", "not enough space on the disk");

    // A disk with less than this to spare counts as full, whatever words its errors have in the operator's language.
    private static final long NEARLY_FULL_BYTES = 64 * 1024;

    // More than all directories grow by for the changes of names that may be queued: a block for each.
    private static final long NEAR_BYTES = SyncRounds.MAX_QUEUED * 4096L + 1024 * 1024;

    private Shortage() {}

    /**
     * Whether so little room is left that a directory could be unable to grow, for one more name, by the time a deferred
     * change is carried out.
     */
    static boolean isNear(Disk disk, Path directory) {
        try {
            return disk.usableSpace(directory) < NEAR_BYTES;
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Whether the error says that there is no room. */
    static boolean isToldBy(IOException error) {
        String reason = error instanceof FileSystemException named ? named.getReason() : error.getMessage();
        String message = (reason + " " + error.getMessage()).toLowerCase(Locale.ROOT);
        return WORDS.stream().anyMatch(message::contains);
    }

    /**
     * Whether the error came from a lack of room, told or found: for errors of a file that has no name yet, which is dropped
     * in any case.
     *
     * @param neededBytes what was to be written
     */
    static boolean isBehind(IOException error, Disk disk, Path path, long neededBytes) {
        if (isToldBy(error)) {
            return true;
        }
        try {
            return disk.usableSpace(path.getParent()) < neededBytes + NEARLY_FULL_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** What the caller is told, whose state was not written. */
    static StoreFullException refusal(Path path, IOException cause) {
        return new StoreFullException(
                "file=" + path + " was not written, because the disk is full (" + cause.getMessage()
                        + "); make room, removals go on working and writes will again",
                cause);
    }
}

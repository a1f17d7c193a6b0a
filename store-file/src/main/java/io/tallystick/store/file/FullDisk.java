package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreFullException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** Decides whether a disk is full or nearly full, and makes the refusal. */
final class FullDisk {
    // A disk with less room than this counts as full, even if its errors say otherwise.
    private static final long NEARLY_FULL_BYTES = 64 * 1024;

    // More than the directories can grow by for all queued changes of names, one block each.
    private static final long NEAR_BYTES = FileStoreOptions.MAX_QUEUED_CHANGES * 4096L + 1024 * 1024;

    private FullDisk() {}

    /**
     * Whether there may be too little room for a directory to grow by one name when a deferred change is carried out.
     */
    static boolean isNear(Disk disk, Path directory) {
        try {
            return disk.usableSpace(directory) < NEAR_BYTES;
        } catch (IOException unknown) {
            return true;
        }
    }

    /**
     * Whether the error came from a lack of room: the error says so, or the disk has too little. Only for a file that
     * has no key's name yet and is dropped in any case.
     *
     * @param neededBytes bytes that were to be written
     */
    static boolean isBehind(IOException error, Disk disk, Path path, long neededBytes) {
        if (Shortage.isShortageOfRoom(error)) {
            return true;
        }
        try {
            return disk.usableSpace(Objects.requireNonNull(path.getParent(), "it lies in a directory"))
                    < neededBytes + NEARLY_FULL_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** The refusal for the caller whose state was not written. */
    static StoreFullException refusal(Path path, IOException cause) {
        return new StoreFullException(
                "file=" + path + " was not written, because the disk is full (" + cause.getMessage()
                        + "); make room: removals go on working, and writes will work again",
                cause);
    }
}

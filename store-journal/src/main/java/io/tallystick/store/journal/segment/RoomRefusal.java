package io.tallystick.store.journal.segment;

import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The reason why there is no room.
 *
 * @param because for people to read
 * @param failureOrNull a failure of the disk other than lack of room; null where the room is used up
 */
record RoomRefusal(String because, IOException failureOrNull) {
    /** The error that a caller gets; nothing was written for it. */
    StoreException toException(Path directory) {
        String start = "the journal in directory=" + directory;
        if (failureOrNull == null) {
            return new StoreFullException(start + " is full (" + because
                    + "); nothing was written. Make room on the disk, or let transactions finish: removals still"
                    + " work, and writes work again when there is room");
        }
        return new StoreIoException(
                start + " has no room left and cannot get more (" + because
                        + "); nothing was written. Check the disk: removals still work, and writes work again when"
                        + " a segment can be made",
                failureOrNull);
    }
}

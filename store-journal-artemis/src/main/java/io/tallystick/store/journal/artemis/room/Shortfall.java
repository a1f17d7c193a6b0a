package io.tallystick.store.journal.artemis.room;

import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/** The answer of the housekeeper to a caller that asked for room or for a spare file. */
public sealed interface Shortfall {
    /** Nothing is missing. */
    Shortfall NONE = new None();

    /** There is too little room. */
    static Shortfall ofRoom(String reason) {
        return new OfRoom(reason);
    }

    /** The disk has room, but it refuses a file. */
    static Shortfall ofFile(String reason, Throwable refusal) {
        return new OfFile(reason, refusal);
    }

    /** Whether nothing is missing. */
    default boolean isNone() {
        return this == NONE;
    }

    /** The error of a caller whose record found no room. */
    StoreException refusal(Path directory);

    /** The error of a caller that needs the next file to write a batch. */
    IOException noNextFile(Path directory);

    /** Nothing is missing. */
    record None() implements Shortfall {
        @Override
        public StoreException refusal(Path directory) {
            throw new IllegalStateException("nothing is missing in directory=" + directory);
        }

        @Override
        public IOException noNextFile(Path directory) {
            throw new IllegalStateException("nothing is missing in directory=" + directory);
        }
    }

    /**
     * There is too little room.
     *
     * @param reason the missing thing in words
     */
    record OfRoom(String reason) implements Shortfall {
        @Override
        public StoreException refusal(Path directory) {
            return new StoreFullException("the journal in directory=" + directory + " is full (" + reason
                    + "); nothing was written. Make room on the disk, or let transactions finish: removals still work,"
                    + " and writes work again when there is room");
        }

        @Override
        public IOException noNextFile(Path directory) {
            return new IOException("the journal in directory=" + directory + " has no next file: " + reason);
        }
    }

    /**
     * The disk has room, but it refuses a file.
     *
     * @param reason the refused file in words
     * @param refusal the error of the disk
     */
    record OfFile(String reason, Throwable refusal) implements Shortfall {
        @Override
        public StoreException refusal(Path directory) {
            return new StoreIoException(
                    "the journal in directory=" + directory + " needs another file (" + reason
                            + "); nothing was written. There is room, so check the disk, the directory's permissions"
                            + " and the process' limits: writes work again when a file can be made",
                    refusal);
        }

        @Override
        public IOException noNextFile(Path directory) {
            return new IOException("the journal in directory=" + directory + " has no next file: " + reason, refusal);
        }
    }
}

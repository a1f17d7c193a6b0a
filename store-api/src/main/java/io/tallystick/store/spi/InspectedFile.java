package io.tallystick.store.spi;

import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A file in a store's directory, or a row of a log in a database.
 *
 * @param path its path
 * @param role its purpose
 * @param bytes its size
 * @param remark a remark for people; may be empty
 * @param ignoredAt where a batch begins that is not whole and is ignored, bytes: nothing says that it was on disk.
 *     Either it was being written when its process or the machine stopped, and nobody was told of a commit in it. Or it
 *     was damaged after it was written, and the process had stopped before it wrote a mark behind it
 */
public record InspectedFile(Path path, Role role, long bytes, String remark, OptionalLong ignoredAt) {
    public InspectedFile {
        Objects.requireNonNull(path);
        Objects.requireNonNull(role);
        Objects.requireNonNull(remark);
        Objects.requireNonNull(ignoredAt);
    }

    /** A file in which nothing is ignored. */
    public InspectedFile(Path path, Role role, long bytes, String remark) {
        this(path, role, bytes, remark, OptionalLong.empty());
    }

    /** The purpose of a file. */
    public enum Role {
        /** Names the store's kind and id. */
        IDENTITY,
        /** Its lock is the ownership; it holds nothing. */
        LOCK,
        /** Tells people the owner of the store. */
        OWNER,
        /** Says that something was done once; holds nothing. */
        MARKER,
        /** Holds records that count. */
        DATA,
        /** Belongs to the store, and nothing in it counts now. */
        SPARE,
        /** Left over from something that was cut off; the next opening deletes it. */
        LEFTOVER,
        /** Spares the next opening some work, or lets it notice a copy; the store lives without it. */
        HINT,
        /** Says that a process has noticed a loss, or that a person has accepted one. */
        LOSS,
        /** Put aside by a repair. */
        QUARANTINE,
        /** Not of the store's making. */
        STRANGER;

        /** Whether the store's life depends on the file. */
        public boolean isStores() {
            return this == IDENTITY || this == MARKER || this == DATA || this == SPARE || this == LEFTOVER;
        }
    }
}

package io.tallystick.testkit.disk;

import java.nio.file.Path;
import java.util.Locale;

/**
 * The kinds of operations on a {@link io.tallystick.storage.Disk} and its files that tests count, fail and crash at.
 */
public enum DiskOperation {
    /** Opening or creating a file. */
    OPEN,
    /** Reading from a file. */
    READ,
    /** Writing to a file, in any mode. */
    WRITE,
    /** Forcing a file's content. */
    FORCE,
    /** Cutting a file off. */
    TRUNCATE,
    /** Creating a directory. */
    CREATE_DIRECTORY,
    /** Renaming; the file is the source. */
    RENAME,
    /** Deleting. */
    DELETE,
    /** Listing a directory. */
    LIST,
    /** Forcing a directory's names. */
    FORCE_DIRECTORY,
    /** Taking a lock. */
    LOCK;

    /** One line for messages, such as {@code force-directory file=/store}. */
    String describe(Path file, String detail) {
        return name().toLowerCase(Locale.ROOT).replace('_', '-') + " file=" + file
                + (detail.isEmpty() ? "" : " " + detail);
    }
}

package io.tallystick.storage;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file or a directory that a store relies on.
 *
 * @param path where it is
 * @param leastBytes its size, or less
 * @param isKeptOpen whether the store has this very file open; else another one may get its name at any time
 * @param beginning its first bytes; empty if they may change at any time
 */
public record UsedFile(Path path, long leastBytes, boolean isKeptOpen, ByteBuffer beginning) {
    private static final ByteBuffer UNKNOWN = ByteBuffer.allocate(0).asReadOnlyBuffer();

    public UsedFile {
        Objects.requireNonNull(path, "path");
        beginning = beginning.asReadOnlyBuffer();
    }

    /** A file that the store has open; its first bytes may change at any time. */
    public static UsedFile open(Path path, long leastBytes) {
        return new UsedFile(path, leastBytes, true, UNKNOWN);
    }

    /** A file or a directory that the store opens when it needs it. */
    public static UsedFile named(Path path, long leastBytes) {
        return new UsedFile(path, leastBytes, false, UNKNOWN);
    }
}

package io.tallystick.storage;

import java.util.Objects;

/**
 * What a path leads to, so that it can be told later whether it leads to something else.
 *
 * @param kind of the file; nothing else is known of one that is missing
 * @param key what the file system calls it, such as its device and the number of its inode. No other file has the key
 *     while this one exists or is open. Empty where the system has no such keys
 * @param bytes size of a regular file
 */
public record PathIdentity(Disk.PathKind kind, String key, long bytes) {
    /** Of a path that leads nowhere. */
    public static final PathIdentity MISSING = new PathIdentity(Disk.PathKind.MISSING, "", 0);

    public PathIdentity {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(key, "key");
    }

    /** Whether both are of one file, which may have grown or shrunk. */
    public boolean isSameFile(PathIdentity other) {
        return kind == other.kind && key.equals(other.key);
    }
}

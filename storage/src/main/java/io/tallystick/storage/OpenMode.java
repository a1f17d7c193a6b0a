package io.tallystick.storage;

/** The purpose of opening a file. No mode follows a symbolic link in the last element of the path. */
public enum OpenMode {
    /** An existing file, to read. */
    READ,
    /** An existing file, to read and write. */
    READ_WRITE,
    /** A file that must not exist yet, to read and write; readable by its owner only, with any umask. */
    CREATE_NEW,
    /**
     * An existing file, to read and write past the page cache: each write is on disk when it returns
     * ({@code O_DIRECT | O_DSYNC}). Addresses, lengths and positions must be multiples of {@link Disk#directAlignment}.
     */
    DIRECT_SYNC
}

package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Files, directories, and the calls that make them durable. Every byte that a store reads or writes goes through an
 * instance that it was given.
 *
 * <p>A change of a name (create, rename, delete) is durable only after {@link #forceDirectory} on its directory, a
 * change of content only after {@link DiskFile#force}. Instances may be used by any number of threads. An interrupt of
 * the calling thread breaks no operation except {@link #tryLock}, which belongs to opening only.
 */
public interface Disk {
    /**
     * Opens a file.
     *
     * @throws java.nio.file.NoSuchFileException it does not exist, in every mode except {@link OpenMode#CREATE_NEW}
     * @throws java.nio.file.FileAlreadyExistsException it exists, in mode {@link OpenMode#CREATE_NEW}
     */
    DiskFile open(Path file, OpenMode mode) throws IOException;

    /** The kind of the file at the path now, links not followed. */
    PathKind kindOf(Path path) throws IOException;

    /** What the path leads to now, links not followed; empty if this disk does not know files apart. */
    default Optional<PathIdentity> identityOf(Path path) throws IOException {
        return Optional.empty();
    }

    /** Size of a regular file, bytes. */
    long size(Path file) throws IOException;

    /** Creates one directory, accessible by its owner only; the parent must exist. */
    void createDirectory(Path directory) throws IOException;

    /** Gives {@code source} the name {@code target} in one step, replacing a file that has it. */
    void rename(Path source, Path target) throws IOException;

    /**
     * Gives {@code source} the name {@code target}, which nothing has. For directories whose lock the caller holds: a
     * process that does not respect the lock may put a file there in between, and lose it.
     *
     * @throws java.nio.file.FileAlreadyExistsException something has that name; both are as before
     */
    void renameToNew(Path source, Path target) throws IOException;

    /**
     * Deletes a file or an empty directory.
     *
     * @throws java.nio.file.NoSuchFileException it does not exist
     */
    void delete(Path path) throws IOException;

    /** The paths directly in the directory, in no order. */
    List<Path> list(Path directory) throws IOException;

    /**
     * Hands the paths directly in the directory to the visitor, in no order. On a disk of the system it holds few of
     * them at a time, so that a directory may have more names than fit into memory. A name that comes or goes meanwhile
     * may be missed.
     */
    default void forEach(Path directory, PathVisitor visitor) throws IOException {
        for (Path path : list(directory)) {
            visitor.visit(path);
        }
    }

    /** Brings all changes of names in this directory to disk. */
    void forceDirectory(Path directory) throws IOException;

    /** The path with links resolved, the same for every way to the same directory. */
    Path realPath(Path path) throws IOException;

    /** Bytes that this process may still allocate on the file system of the path. */
    long usableSpace(Path path) throws IOException;

    /** Type of the file system of the path, such as {@code ext4}, in the operating system's words. */
    String fileSystemType(Path path) throws IOException;

    /** The place of an existing directory, to know whether a measurement that was made there still holds. */
    default DiskPlace placeOf(Path directory) throws IOException {
        return new DiskPlace("", fileSystemType(directory), "", "", "");
    }

    /** Addresses, lengths and positions in mode {@link OpenMode#DIRECT_SYNC} must be multiples of this, bytes. */
    int directAlignment(Path directory) throws IOException;

    /**
     * Takes the lock of the file, which is created if it is missing, for this process; empty if there is an owner, here
     * or elsewhere. A glance ({@link #isLocked}) is no owner: the call waits some seconds for it to end. The operating
     * system frees the lock when the process ends, however it ends.
     */
    Optional<DiskLock> tryLock(Path file) throws IOException;

    /**
     * Whether the lock of the file has an owner, here or elsewhere; false if there is no such file. Changes nothing,
     * creates nothing and needs only the permission to read. The answer may be out of date when it is given.
     */
    default boolean isLocked(Path file) throws IOException {
        if (kindOf(file) == PathKind.MISSING) {
            return false;
        }
        Optional<DiskLock> lock = tryLock(file);
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    /** Takes the paths of a directory. */
    interface PathVisitor {
        /** Takes a path. */
        void visit(Path path) throws IOException;
    }

    /** The kind of a file. */
    enum PathKind {
        /** Nothing. */
        MISSING,
        /** A regular file. */
        FILE,
        /** A directory. */
        DIRECTORY,
        /** A symbolic link, or on Windows a junction. */
        LINK,
        /** A device, a pipe, a socket. */
        OTHER
    }
}

package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A directory that one store owns, from {@link #take} until {@link #close}: locked against every other owner, and known
 * by its identity.
 *
 * <p>Three files are kept there beside the store's own: {@value #LOCK_FILE}, empty, whose lock is the ownership;
 * {@value #OWNER_FILE}, text, which tells people who has it; and {@value StoreIdentity#FILE_NAME}, which names the kind
 * of store and its unique id for ever. docs/format/directory-v1.md describes them.
 */
public final class StoreDirectory implements AutoCloseable {
    /** The lock file. */
    public static final String LOCK_FILE = "tallystick.lock";
    /** The owner file. */
    public static final String OWNER_FILE = "tallystick.owner";

    private static final int NEARLY_FULL_BYTES = 16 * 1024;
    private static final int MAX_OWNER_BYTES = 4096;

    private final Disk disk;
    private final Path path;
    private final DiskLock lock;
    private final StoreIdentity identity;
    private final boolean isNew;

    private StoreDirectory(Disk disk, Path path, DiskLock lock, StoreIdentity identity, boolean isNew) {
        this.disk = disk;
        this.path = path;
        this.lock = lock;
        this.identity = identity;
        this.isNew = isNew;
    }

    /**
     * Takes the directory for a store of this kind. A missing directory is created with its parents, unless a store is
     * expected to exist; a directory without a store becomes one if it is empty.
     *
     * @param kind what the store calls itself and its format, such as {@code file-v1}
     * @throws StoreDirectoryException it cannot be taken; nothing was changed in it
     */
    public static StoreDirectory take(Disk disk, Path directory, String kind, boolean expectExisting)
            throws IOException {
        Path path = prepared(disk, directory, expectExisting);
        boolean hasIdentity = disk.kindOf(path.resolve(StoreIdentity.FILE_NAME)) != Disk.PathKind.MISSING;
        if (!hasIdentity) {
            checkMayBecomeStore(disk, path, expectExisting);
        }
        DiskLock lock = locked(disk, path);
        try {
            // Read again under the lock: another process may have made the store in between.
            Optional<StoreIdentity> found = StoreIdentity.read(disk, path);
            if (found.isPresent() && !found.get().kind().equals(kind)) {
                throw foreign(path, found.get().kind(), kind);
            }
            if (found.isEmpty()) {
                checkMayBecomeStore(disk, path, expectExisting);
            }
            StoreIdentity identity = found.isPresent() ? found.get() : created(disk, path, kind);
            writeOwner(disk, path);
            return new StoreDirectory(disk, path, lock, identity, found.isEmpty());
        } catch (IOException | RuntimeException failed) {
            lock.close();
            throw failed;
        }
    }

    /** The directory, links resolved. */
    public Path path() {
        return path;
    }

    /** Unique id and kind of the store. */
    public StoreIdentity identity() {
        return identity;
    }

    /** Whether {@link #take} made the store. */
    public boolean isNew() {
        return isNew;
    }

    /** Whether the name belongs to a file of this class rather than to the store. */
    public static boolean isOwnFile(Path file) {
        String name = file.getFileName().toString();
        return name.equals(LOCK_FILE)
                || name.equals(OWNER_FILE)
                || name.equals(OWNER_FILE + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(StoreIdentity.FILE_NAME)
                || name.equals(StoreIdentity.FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX);
    }

    /** Gives the directory up; a second call does nothing. */
    @Override
    public void close() throws IOException {
        lock.close();
    }

    private static Path prepared(Disk disk, Path directory, boolean expectExisting) throws IOException {
        try {
            Path absolute = directory.toAbsolutePath().normalize();
            switch (disk.kindOf(absolute)) {
                case DIRECTORY -> {}
                case MISSING -> {
                    if (expectExisting) {
                        throw new StoreDirectoryException(
                                Reason.UNUSABLE,
                                "directory=" + absolute + " does not exist, but a store is expected there;"
                                        + " mount the volume that holds it, or unset tallystick.expect-existing",
                                null);
                    }
                    createWithParents(disk, absolute);
                }
                case LINK ->
                    throw new StoreDirectoryException(
                            Reason.UNUSABLE,
                            "directory=" + absolute + " is a symbolic link; configure the path that it points to",
                            null);
                default ->
                    throw new StoreDirectoryException(
                            Reason.UNUSABLE,
                            "directory=" + absolute + " is not a directory; configure the path of a directory",
                            null);
            }
            return disk.realPath(absolute);
        } catch (StoreDirectoryException told) {
            throw told;
        } catch (IOException refused) {
            throw unusable(directory, refused);
        }
    }

    private static void createWithParents(Disk disk, Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path at = directory;
        while (at != null && disk.kindOf(at) == Disk.PathKind.MISSING) {
            missing.push(at);
            at = at.getParent();
        }
        for (Path path : missing) {
            try {
                disk.createDirectory(path);
            } catch (FileAlreadyExistsException madeMeanwhile) {
                // another opener was quicker; whoever gets the lock has it
            }
        }
    }

    // An earlier opener may have been killed between creating a directory and forcing its name, so whoever makes the
    // store
    // forces every name on the way to it, whether it created them or not.
    private static void forceWayTo(Disk disk, Path directory) throws IOException {
        for (Path at = directory.getParent(); at != null; at = at.getParent()) {
            try {
                disk.forceDirectory(at);
            } catch (AccessDeniedException notOurs) {
                // a directory that this user may not read was not made by this user's opener
            }
        }
    }

    private static StoreIdentity created(Disk disk, Path path, String kind) throws IOException {
        forceWayTo(disk, path);
        return StoreIdentity.create(disk, path, kind);
    }

    private static void checkMayBecomeStore(Disk disk, Path path, boolean expectExisting) throws IOException {
        if (expectExisting) {
            throw new StoreDirectoryException(
                    Reason.UNUSABLE,
                    "directory=" + path + " holds no store, but one is expected there;"
                            + " mount the volume that holds it, or unset tallystick.expect-existing",
                    null);
        }
        List<Path> strangers =
                disk.list(path).stream().filter(file -> !isOwnFile(file)).toList();
        if (!strangers.isEmpty()) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "directory=" + path + " is not empty and holds no store (it has no " + StoreIdentity.FILE_NAME
                            + ", but for example " + strangers.get(0).getFileName()
                            + "); configure an empty or a new directory",
                    null);
        }
    }

    private static DiskLock locked(Disk disk, Path path) throws IOException {
        Optional<DiskLock> lock;
        try {
            lock = disk.tryLock(path.resolve(LOCK_FILE));
        } catch (IOException refused) {
            throw unusable(path, refused);
        }
        return lock.orElseThrow(() -> new StoreDirectoryException(
                Reason.LOCKED,
                "directory=" + path + " is in use by " + owner(disk, path)
                        + "; close that store, or configure another directory",
                null));
    }

    private static String owner(Disk disk, Path path) {
        try (DiskFile file = disk.open(path.resolve(OWNER_FILE), OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), MAX_OWNER_BYTES));
            file.readFully(bytes, 0);
            String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
            return text.strip().replaceAll("\\s+", " ").replaceAll("\\p{C}", "?");
        } catch (IOException unknown) {
            return "an owner that has not told its name";
        }
    }

    private static void writeOwner(Disk disk, Path path) throws IOException {
        String text =
                "pid=" + ProcessHandle.current().pid() + "\nhost=" + hostName() + "\nsince=" + Instant.now() + "\n";
        try {
            SmallFile.replace(disk, path.resolve(OWNER_FILE), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException refused) {
            // A note for people: for want of room for it nobody shall be kept from finishing the transactions in there.
            if (disk.usableSpace(path) >= NEARLY_FULL_BYTES) {
                throw refused;
            }
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "unknown";
        }
    }

    private static StoreDirectoryException foreign(Path path, String found, String wanted) {
        return new StoreDirectoryException(
                Reason.FOREIGN,
                "directory=" + path + " holds a store of kind " + found + ", but a store of kind " + wanted
                        + " was asked for; configure the kind that is there, or another directory",
                null);
    }

    private static StoreDirectoryException unusable(Path path, IOException refused) {
        String why = refused instanceof AccessDeniedException
                ? "access is denied to this user"
                : refused instanceof NoSuchFileException ? "it does not exist" : String.valueOf(refused.getMessage());
        return new StoreDirectoryException(
                Reason.UNUSABLE,
                "directory=" + path.toAbsolutePath() + " cannot be used: " + why
                        + "; check that it exists, is writable and lies on a local disk with room",
                refused);
    }
}

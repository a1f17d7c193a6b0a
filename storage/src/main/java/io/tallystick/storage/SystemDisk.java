package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The disk of the operating system.
 *
 * <p>Files are {@link AsynchronousFileChannel}s whose operations run on the calling thread. Unlike a {@link
 * FileChannel} such a channel is no {@link java.nio.channels.InterruptibleChannel}: an interrupt neither closes it nor
 * shortens an operation. So any thread may do I/O here, also that of a committing caller. On a virtual thread an
 * operation holds its carrier. On Windows the JDK has no such operations. There the calling thread waits for them, and
 * an interrupt does nothing to them either.
 */
public final class SystemDisk implements Disk {
    private static final FileAttribute<?>[] NONE = {};
    private static final Set<PosixFilePermission> FILE_PERMISSIONS = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY_PERMISSIONS = PosixFilePermissions.fromString("rwx------");
    private static final ExecutorService ON_CALLING_THREAD = new CallingThreadExecutor();

    private static final LockFile.Opener LOCK_FILES = new LockFile.Opener() {
        @Override
        public FileChannel open(Path file) throws IOException {
            return SystemRules.HERE.isPatient()
                    ? SystemRules.HERE.patiently(() -> channel(file), () -> !Files.isDirectory(file))
                    : channel(file);
        }

        private FileChannel channel(Path file) throws IOException {
            return FileChannel.open(
                    file,
                    Set.of(
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS),
                    creation(file, OpenMode.CREATE_NEW));
        }

        @Override
        public void giveToOwner(Path file) throws IOException {
            if (!isOwners(file)) {
                Files.setPosixFilePermissions(file, FILE_PERMISSIONS);
            }
        }
    };

    // Null until the first file was made; two threads may find it out at the same time.
    private volatile @Nullable Boolean isOwnerMasked;

    private final SystemLocks locks;
    private final SystemRules rules;
    // Null where operations run on the calling thread.
    private final @Nullable SharedThreads sharedThreadsOrNull;

    /** The disk of the operating system. */
    public SystemDisk() {
        this(SystemLocks.GLANCE_PATIENCE);
    }

    /** The disk of the operating system, with this patience with glances at locks. */
    SystemDisk(Duration glancePatience) {
        this(glancePatience, SystemRules.HERE);
    }

    /** The disk of the operating system, by the rules of this one or of another. */
    SystemDisk(Duration glancePatience, SystemRules rules) {
        this.locks = new SystemLocks(glancePatience);
        this.rules = rules;
        this.sharedThreadsOrNull = rules.isOnCallingThread() ? null : new SharedThreads();
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        AsynchronousFileChannel channel = opened(file, mode);
        DiskFile opened = null;
        try {
            if (mode == OpenMode.CREATE_NEW) {
                giveToOwner(file);
            }
            opened = new ChannelFile(file, channel, mode == OpenMode.READ && rules.isForceForWriters());
            return opened;
        } finally {
            if (opened == null) {
                channel.close();
            }
        }
    }

    private AsynchronousFileChannel opened(Path file, OpenMode mode) throws IOException {
        if (mode == OpenMode.CREATE_NEW) {
            rules.checkNewName(file);
        }
        if (mode == OpenMode.DIRECT_SYNC && rules.againstDirect().isPresent()) {
            throw new UnsupportedOperationException(rules.againstDirect().get());
        }
        try {
            return rules.isPatient()
                    ? rules.patiently(() -> channel(file, mode), () -> !Files.isDirectory(file))
                    : channel(file, mode);
        } catch (FileSystemException refused) {
            throw refused;
        } catch (IOException nameless) {
            // The JDK does not say which file, if it is a link.
            FileSystemException named = new FileSystemException(file.toString(), null, nameless.getMessage());
            named.initCause(nameless);
            throw named;
        }
    }

    private AsynchronousFileChannel channel(Path file, OpenMode mode) throws IOException {
        return sharedThreadsOrNull == null
                ? AsynchronousFileChannel.open(file, options(mode), ON_CALLING_THREAD, creation(file, mode))
                : sharedThreadsOrNull.open(file, options(mode), creation(file, mode));
    }

    @Override
    public PathKind kindOf(Path path) throws IOException {
        Optional<BasicFileAttributes> attributes = attributesOf(path);
        return attributes.isPresent() ? kindBy(attributes.get()) : PathKind.MISSING;
    }

    @Override
    public Optional<PathIdentity> identityOf(Path path) throws IOException {
        Optional<BasicFileAttributes> found = attributesOf(path);
        if (found.isEmpty()) {
            return Optional.of(PathIdentity.MISSING);
        }
        BasicFileAttributes attributes = found.get();
        Object key = attributes.fileKey();
        // A directory's size says nothing.
        return Optional.of(new PathIdentity(
                kindBy(attributes),
                key == null ? "" : key.toString(),
                attributes.isRegularFile() ? attributes.size() : 0));
    }

    private Optional<BasicFileAttributes> attributesOf(Path path) throws IOException {
        // Windows answers "invalid parameter" to a look at a device, which would be taken for a file in use.
        rules.checkNewName(path);
        try {
            return Optional.of(
                    rules.isPatient() ? rules.patiently(() -> attributes(path), () -> true) : attributes(path));
        } catch (NoSuchFileException missing) {
            return Optional.empty();
        } catch (FileSystemException refused) {
            // JDKs throw different exceptions if an element of the path is a file.
            if (isBehindSomethingElse(path)) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static PathKind kindBy(BasicFileAttributes attributes) {
        // To the JDK (WindowsFileAttributes.java) a junction is a directory and something else, and no symbolic link.
        // No other system has both.
        boolean isJunction = attributes.isDirectory() && attributes.isOther();
        if (attributes.isSymbolicLink() || isJunction) {
            return PathKind.LINK;
        }
        if (attributes.isDirectory()) {
            return PathKind.DIRECTORY;
        }
        return attributes.isRegularFile() ? PathKind.FILE : PathKind.OTHER;
    }

    /** Whether an element above the path is a file. A disk that does not answer says nothing of that. */
    private static boolean isBehindSomethingElse(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            try {
                return !Files.readAttributes(above, BasicFileAttributes.class).isDirectory();
            } catch (IOException missingOrUnanswered) {
                // what is above it may answer
            }
        }
        return false;
    }

    @Override
    public long size(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .size();
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        rules.checkNewName(directory);
        if (isPosix(directory)) {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(DIRECTORY_PERMISSIONS));
            Files.setPosixFilePermissions(directory, DIRECTORY_PERMISSIONS);
        } else {
            createPatiently(directory);
        }
    }

    private void createPatiently(Path directory) throws IOException {
        if (rules.isPatient()) {
            rules.patiently(() -> Files.createDirectory(directory), () -> true);
        } else {
            Files.createDirectory(directory);
        }
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void renameToNew(Path source, Path target) throws IOException {
        move(source, target); // looks before it renames
    }

    private void move(Path source, Path target, CopyOption... options) throws IOException {
        rules.checkNewName(target);
        if (rules.isPatient()) {
            rules.patiently(() -> Files.move(source, target, options), () -> true);
        } else {
            Files.move(source, target, options);
        }
        forceRenamed(target);
    }

    private void forceRenamed(Path target) throws IOException {
        // Not Files.isRegularFile: an attribute that cannot be read would be a force that is left out.
        if (rules.isForcedAfterRename()
                && attributesOf(target)
                        .filter(BasicFileAttributes::isRegularFile)
                        .isPresent()) {
            try (DiskFile file = open(target, OpenMode.READ_WRITE)) {
                file.force();
            }
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        if (rules.isPatient()) {
            rules.patiently(() -> deleted(path), () -> true);
        } else {
            Files.delete(path);
        }
    }

    private static Path deleted(Path path) throws IOException {
        Files.delete(path);
        return path;
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        List<Path> paths = new ArrayList<>();
        forEach(directory, paths::add);
        return paths;
    }

    @Override
    public void forEach(Path directory, PathVisitor visitor) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path path : stream) {
                visitor.visit(path);
            }
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(directory, Set.of(StandardOpenOption.READ), ON_CALLING_THREAD)) {
            channel.force(true);
        } catch (IOException failed) {
            rules.directoryForceFailed(failed);
        }
    }

    @Override
    public Path realPath(Path path) throws IOException {
        return path.toRealPath();
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    @Override
    public String fileSystemType(Path path) throws IOException {
        return rules.typeOf(
                Files.getFileStore(path).type(), path.toAbsolutePath().getRoot());
    }

    @Override
    public DiskPlace placeOf(Path directory) throws IOException {
        return DiskPlace.of(directory);
    }

    @Override
    public int directAlignment(Path directory) throws IOException {
        return Math.toIntExact(Files.getFileStore(directory).getBlockSize());
    }

    @Override
    public Optional<DiskLock> tryLock(Path file) throws IOException {
        return locks.tryLock(file, LOCK_FILES);
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        return locks.isLocked(file);
    }

    /** The options with which java.nio opens a file in this mode; links are not followed. */
    public static Set<OpenOption> options(OpenMode mode) {
        return switch (mode) {
            case READ -> Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            case READ_WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            case CREATE_NEW ->
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS);
            case DIRECT_SYNC ->
                Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DSYNC,
                        directOption(),
                        LinkOption.NOFOLLOW_LINKS);
        };
    }

    /** O_DIRECT, by its name: compilers warn of the type, and newer ones cannot be silenced. */
    private static OpenOption directOption() {
        try {
            return (OpenOption) Class.forName("com.sun.nio.file.ExtendedOpenOption")
                    .getField("DIRECT")
                    .get(null);
        } catch (ReflectiveOperationException missing) {
            throw new UnsupportedOperationException(
                    "this JDK has no way to open files past the page cache. Use tallystick.journal.io=channel",
                    missing);
        }
    }

    private static FileAttribute<?>[] creation(Path file, OpenMode mode) {
        if (mode != OpenMode.CREATE_NEW || !isPosix(file)) {
            return NONE;
        }
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(FILE_PERMISSIONS)};
    }

    /**
     * Gives a new file's owner the permissions that the umask took. Hardly any umask takes from the owner, and commits
     * wait for new files. So only the first file is looked at.
     */
    private void giveToOwner(Path file) throws IOException {
        if (isOwnerMasked == null) {
            isOwnerMasked = !isOwners(file);
        }
        if (isOwnerMasked) {
            Files.setPosixFilePermissions(file, FILE_PERMISSIONS);
        }
    }

    private static boolean isOwners(Path file) throws IOException {
        return !isPosix(file)
                || Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
                        .containsAll(FILE_PERMISSIONS);
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** @param isUnforced whether a force of this channel would do nothing */
    private record ChannelFile(Path path, AsynchronousFileChannel channel, boolean isUnforced) implements DiskFile {
        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return result(channel.read(target, position));
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            return result(channel.write(source, position));
        }

        @Override
        public void force() throws IOException {
            if (isUnforced) {
                try (AsynchronousFileChannel writer = SystemRules.patiently(
                        () -> AsynchronousFileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                        () -> true,
                        SystemRules.PATIENCE)) {
                    writer.force(false);
                }
            } else {
                channel.force(false);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }

        // Where the operation ran on this thread, the future is complete and an interrupt cannot come between. On
        // Windows
        // this waits for the end of the operation, which an interrupt does not touch.
        private static int result(Future<Integer> finished) throws IOException {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return finished.get();
                    } catch (InterruptedException later) {
                        interrupted = true;
                    }
                }
            } catch (ExecutionException failed) {
                Throwable cause = failed.getCause();
                if (cause instanceof IOException ioException) {
                    throw ioException;
                }
                throw new IOException(cause);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Runs tasks at once on the calling thread; never ends. */
    private static final class CallingThreadExecutor extends AbstractExecutorService {
        @Override
        public void execute(Runnable command) {
            command.run();
        }

        @Override
        public void shutdown() {
            // nothing to end
        }

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}

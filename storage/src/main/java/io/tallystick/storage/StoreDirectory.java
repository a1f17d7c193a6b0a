package io.tallystick.storage;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A directory that one store owns, from {@link #take} until {@link #close}: locked against every other owner, and known
 * by its identity.
 *
 * <p>Up to five files are kept there beside the store's own. The lock of the empty file {@value #LOCK_FILE} is the
 * ownership. The text in {@value #OWNER_FILE} tells people the owner. {@value StoreIdentity#FILE_NAME} names the kind
 * of store and its unique id for ever. {@value NodeBinding#FILE_NAME} names the node, if the store belongs to one.
 * {@value PlaceNote#FILE_NAME} says where the store was made. docs/format/directory-v1.md describes them.
 */
public final class StoreDirectory implements AutoCloseable {
    /** The lock file. */
    public static final String LOCK_FILE = "tallystick.lock";
    /** The owner file. */
    public static final String OWNER_FILE = "tallystick.owner";

    /** The file that names the node of the store, if it belongs to one. */
    public static final String NODE_FILE = NodeBinding.FILE_NAME;
    /** The file that says where the store was made, so that a copy is noticed; see docs/place.md. */
    public static final String PLACE_FILE = PlaceNote.FILE_NAME;
    /** The lock file of a node that waits for the adopter of its directory. */
    public static final String REQUEST_FILE = HomeRequest.FILE_NAME;
    /** The directory for files that a repair has replaced; no store looks into it. */
    public static final String QUARANTINE_DIRECTORY = "tallystick.quarantine";

    /** The file that exists while the files of a store are exchanged for others; see docs/format/directory-v1.md. */
    public static final String SWAP_FILE = "tallystick.swap";

    /** The list of files of a backup, which {@code tallystick backup} makes; a store is never opened there. */
    public static final String BACKUP_FILE = "tallystick.backup";
    /** How each such list begins. */
    public static final String BACKUP_TITLE = "tallystick-backup 1";

    /** The directory of the store in a backup. */
    public static final String BACKUP_STORE = "store";

    /** The file in which a journal remembers its way to the disk; see docs/format/journal-io-v1.md. */
    public static final String IO_FILE = "tallystick.io";

    private static final System.Logger LOG = System.getLogger(StoreDirectory.class.getName());

    private static final int NEARLY_FULL_BYTES = 16 * 1024;
    private static final int MAX_OWNER_BYTES = 4096;
    private static final String ADOPTER = "role=adopter";

    private final Disk disk;
    private final Path path;
    private final DiskLock lock;
    private final StoreIdentity identity;
    private final Optional<String> nodeId;
    private final boolean isNew;
    private final PlaceWatch watch;
    // Whether the lock was left to the process.
    private final AtomicBoolean isKept = new AtomicBoolean();
    // Of the opening thread.
    private boolean isToBeBound;
    private @Nullable PlaceCheck place; // null once its note is kept

    private StoreDirectory(
            Disk disk,
            Path path,
            DiskLock lock,
            StoreIdentity identity,
            Optional<String> nodeId,
            boolean isNew,
            PlaceWatch watch) {
        this.disk = disk;
        this.path = path;
        this.lock = lock;
        this.identity = identity;
        this.nodeId = nodeId;
        this.isNew = isNew;
        this.watch = watch;
    }

    /**
     * A process that takes a directory.
     *
     * @param nodeId its node, 1 to 64 printable ASCII characters without a space; empty to take the directory of any
     *     node
     * @param isAdopter whether it recovers a dead node, and leaves when that node asks; then the directory must be that
     *     node's already
     * @param patience how long a node waits for the adopter of its directory to leave, or for its own earlier process
     *     to end
     */
    public record Taker(Optional<String> nodeId, boolean isAdopter, Duration patience) {
        /** @throws IllegalArgumentException the node's id has another form, or an adopter names none */
        public Taker {
            if (nodeId.isPresent()) {
                NodeBinding.checkNode(nodeId.get());
            }
            Objects.requireNonNull(patience, "patience");
            if (isAdopter && nodeId.isEmpty()) {
                throw new IllegalArgumentException("an adopter must name the node (tallystick.node-id)");
            }
        }

        static Taker of(Optional<String> nodeId) {
            return new Taker(nodeId, false, Duration.ZERO);
        }
    }

    /**
     * Takes the directory for a store of this kind and of any node; otherwise as {@link #take(Disk, Path, String,
     * boolean, Optional)}.
     *
     * @param kind what the store calls itself and its format, such as {@code file-v1}
     * @throws StoreDirectoryException it cannot be taken; nothing was changed in it
     */
    public static StoreDirectory take(Disk disk, Path directory, String kind, boolean expectExisting)
            throws IOException {
        return take(disk, directory, kind, expectExisting, Optional.empty());
    }

    /**
     * Takes the directory for a taker that is no adopter and does not wait; otherwise as {@link #take(Disk, Path,
     * String, boolean, Taker)}.
     *
     * @param nodeId the node that opens it, 1 to 64 printable ASCII characters without a space; empty to take the
     *     directory of any node
     * @throws StoreDirectoryException it cannot be taken; nothing was changed in it
     * @throws IllegalArgumentException the node's id has another form
     */
    public static StoreDirectory take(
            Disk disk, Path directory, String kind, boolean expectExisting, Optional<String> nodeId)
            throws IOException {
        return take(disk, directory, kind, expectExisting, Taker.of(nodeId));
    }

    /**
     * Takes the directory for a store of this kind. A missing directory is created with its parents, unless a store is
     * expected to exist. An empty directory gets a new store. A new store belongs to this node, and one that
     * belongs to no node yet does so from {@link #bind} on. If a log should not lie on this type of file system, one
     * warning says so.
     *
     * <p>A copy of a store, whose original may still run, is refused to a taker with a node's id that is no adopter;
     * others get a warning. docs/place.md says how a copy is told.
     *
     * <p>A taker with a node's id goes before an adopter. It asks the adopter to leave, names it in the log, and waits
     * for as long as its patience. It also waits so long for an earlier process of its node that is ending, as that
     * process' owner file says. Each other owner is refused at once.
     *
     * @param kind what the store calls itself and its format, such as {@code file-v1}
     * @throws StoreDirectoryException it cannot be taken; nothing was changed in it
     */
    public static StoreDirectory take(Disk disk, Path directory, String kind, boolean expectExisting, Taker taker)
            throws IOException {
        Optional<String> nodeId = taker.nodeId();
        Shortage.learn();
        Path path = prepared(disk, directory, expectExisting || taker.isAdopter());
        checkNoWriteIsOut(path);
        checkNoBackup(disk, path);
        checkNoSwap(disk, path);
        LossMark.checkNone(disk, path);
        checkAdoptable(disk, path, kind, taker);
        boolean hasIdentity = disk.kindOf(path.resolve(StoreIdentity.FILE_NAME)) != Disk.PathKind.MISSING;
        if (!hasIdentity) {
            checkMayBecomeStore(disk, path, expectExisting);
        } else if (disk.kindOf(path.resolve(LOCK_FILE)) == Disk.PathKind.MISSING) {
            // Taking the lock would make its file, and a refusal must leave nothing behind.
            PlaceCheck.of(disk, path, readFitting(disk, path, kind, nodeId), taker);
        }
        RemovedLock.await(disk, path);
        DiskLock lock = locked(disk, path, kind, taker);
        try {
            // Read again under the lock: another process may have made the store in between.
            checkNoBackup(disk, path);
            checkNoSwap(disk, path);
            LossMark.checkNone(disk, path);
            Optional<StoreIdentity> found = readFitting(disk, path, kind, nodeId);
            PlaceCheck place = PlaceCheck.of(disk, path, found, taker);
            StoreIdentity identity;
            if (found.isPresent()) {
                forceNameOfEmptyStore(disk, path);
                identity = found.get();
            } else {
                checkMayBecomeStore(disk, path, expectExisting);
                identity = created(disk, path, kind);
            }
            Optional<String> owner = NodeBinding.read(disk, path, identity.id());
            writeOwner(disk, path, taker.isAdopter());
            warnOfFileSystem(disk, path);
            place.tell();
            // By the name that the user gave: a link above it may lead elsewhere later.
            PlaceWatch watch = new PlaceWatch(disk, directory.toAbsolutePath().normalize(), identity.id());
            StoreDirectory taken =
                    new StoreDirectory(disk, path, lock, identity, owner.or(() -> nodeId), found.isEmpty(), watch);
            taken.isToBeBound = owner.isEmpty() && nodeId.isPresent();
            taken.place = place;
            if (found.isEmpty()) {
                taken.bind();
            }
            return taken;
        } catch (IOException | RuntimeException | Error failed) {
            release(lock, failed);
            throw failed;
        }
    }

    /**
     * Takes the lock of a directory for repairs, and writes the owner file. Does not look at the store in it.
     *
     * @param mayCreate whether a directory that is missing is made, with its parents
     * @throws StoreDirectoryException it cannot be taken; nothing was changed in it
     */
    public static DiskLock claim(Disk disk, Path directory, boolean mayCreate) throws IOException {
        Path path = prepared(disk, directory, !mayCreate);
        checkNoWriteIsOut(path);
        RemovedLock.await(disk, path);
        DiskLock lock = tryLock(disk, path).orElseThrow(() -> refusal(disk, path));
        try {
            writeOwner(disk, path, false);
            return lock;
        } catch (IOException | RuntimeException | Error failed) {
            release(lock, failed);
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

    /**
     * Binds the store to the node that has taken it, if it belongs to none yet, and notes the place of the store. For a
     * store that has recovered: an opening that is refused leaves the store to every node. After a crash before this,
     * the next opener does both.
     */
    public void bind() throws IOException {
        if (isToBeBound) {
            NodeBinding.write(disk, path, identity.id(), nodeId.orElseThrow());
            isToBeBound = false;
        }
        if (place != null) {
            place.note(identity.id());
            place = null;
        }
    }

    /** The node that the store belongs to, or will after {@link #bind}; empty where it belongs to none. */
    public Optional<String> nodeId() {
        return nodeId;
    }

    /** Bytes that this process may still allocate on the directory's file system; empty where that is not known. */
    public OptionalLong usableBytes() {
        try {
            return OptionalLong.of(disk.usableSpace(path));
        } catch (IOException unknown) {
            return OptionalLong.empty();
        }
    }

    /**
     * Whether the file whose lock is the ownership still has its name. If it was deleted or replaced, another process
     * may take the directory, too, by the lock of the new file.
     */
    public boolean hasLockFile() {
        try {
            return watch.hasLockFile();
        } catch (IOException unknown) {
            return false;
        }
    }

    /** Looks whether the store still lies here; it does nothing before {@link PlaceWatch#start}. */
    public PlaceWatch watch() {
        return watch;
    }

    /** Whether a write to a file of this directory was given up and may still land. */
    public boolean hasUnansweredWrite() {
        return UnansweredWrites.in(path).isPresent();
    }

    /** Whether a process of the node waits for the adopter that has this directory. */
    public static boolean isAskedFor(Disk disk, Path directory) throws IOException {
        return HomeRequest.isMade(disk, directory);
    }

    /** Whether {@link #take} made the store. */
    public boolean isNew() {
        return isNew;
    }

    /** Whether the name belongs to a file of this class, or to a trial of the disk, rather than to the store. */
    public static boolean isOwnFile(Path file) {
        String name = file.getFileName().toString();
        return name.equals(LOCK_FILE)
                || name.startsWith(DiskDevice.PROBE_PREFIX)
                || name.equals(OWNER_FILE)
                || name.equals(IO_FILE)
                || name.equals(IO_FILE + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(OWNER_FILE + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(StoreIdentity.FILE_NAME)
                || name.equals(StoreIdentity.FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(REQUEST_FILE)
                || LossMark.isOwnName(name)
                || name.equals(SWAP_FILE)
                || name.equals(SWAP_FILE + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(PLACE_FILE)
                || name.equals(PLACE_FILE + StoreIdentity.TEMPORARY_SUFFIX)
                || name.equals(NodeBinding.FILE_NAME)
                || name.equals(NodeBinding.FILE_NAME + StoreIdentity.TEMPORARY_SUFFIX);
    }

    /**
     * Gives the directory up; a second call does nothing. Where a write to it was given up ({@link UnansweredWrites}),
     * the lock stays with this process until the process ends.
     */
    @Override
    public void close() throws IOException {
        try {
            watch.close();
        } finally {
            giveUpLock();
        }
    }

    private void giveUpLock() throws IOException {
        Optional<Path> out = UnansweredWrites.in(path);
        if (out.isEmpty()) {
            lock.close();
        } else if (!isKept.get()) {
            // If this fails, the next call tries again.
            UnansweredWrites.keepUntilExit(lock);
            if (!isKept.getAndSet(true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "TALLY0104 directory=" + path + " stays locked until this process ends, because a write to"
                                + " file=" + out.get() + " was given up and may still land; end the process before the"
                                + " store is opened again");
            }
        }
    }

    private static void checkNoWriteIsOut(Path path) throws StoreDirectoryException {
        Optional<Path> out = UnansweredWrites.in(path);
        if (out.isPresent()) {
            throw unanswered(path, out.get());
        }
    }

    private static StoreDirectoryException unanswered(Path path, Path out) {
        return new StoreDirectoryException(
                Reason.UNANSWERED,
                "directory=" + path + " is kept by this process, pid="
                        + ProcessHandle.current().pid() + ": a write to file=" + out
                        + " was given up without an answer of the disk, is still out and may land later; end this"
                        + " process, then start it again",
                null);
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
                            "directory=" + absolute
                                    + " is a symbolic link or a junction; configure the path that it points to",
                            null);
                default ->
                    throw new StoreDirectoryException(
                            Reason.UNUSABLE,
                            "directory=" + absolute + " is not a directory; configure the path of a directory",
                            null);
            }
            return disk.realPath(absolute);
        } catch (StoreDirectoryException refused) {
            throw refused;
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
        Deque<Path> made = new ArrayDeque<>();
        for (Path path : missing) {
            try {
                disk.createDirectory(path);
                made.push(path);
            } catch (FileAlreadyExistsException madeMeanwhile) {
                // another opener was quicker; the one that gets the lock owns the directory
            } catch (IOException refused) {
                deleteAll(disk, made, refused);
                throw refused;
            }
        }
    }

    private static void deleteAll(Disk disk, Deque<Path> made, IOException why) {
        for (Path path : made) {
            try {
                disk.delete(path);
            } catch (IOException usedMeanwhile) {
                why.addSuppressed(usedMeanwhile);
            }
        }
    }

    /** The store's identity; empty if there is no store. Refuses a store of another kind or node. */
    private static Optional<StoreIdentity> readFitting(Disk disk, Path path, String kind, Optional<String> nodeId)
            throws IOException {
        Optional<StoreIdentity> found = StoreIdentity.read(disk, path);
        if (found.isEmpty()) {
            return found;
        }
        if (!found.get().kind().equals(kind)) {
            throw foreign(path, found.get().kind(), kind);
        }
        Optional<String> owner = NodeBinding.read(disk, path, found.get().id());
        if (owner.isPresent() && nodeId.isPresent() && !owner.equals(nodeId)) {
            throw ofAnotherNode(path, owner.get(), nodeId.get());
        }
        return found;
    }

    private static void warnOfFileSystem(Disk disk, Path path) {
        String type;
        try {
            type = disk.fileSystemType(path);
        } catch (IOException unknown) {
            return;
        }
        Optional<FileSystemConcern> concern = FileSystemConcern.about(type);
        if (concern.isPresent()) {
            LOG.log(System.Logger.Level.WARNING, concern.get().warning(path.toString(), type));
        }
    }

    // An earlier opener may have been killed between creating a directory and forcing its name. So the opener that
    // makes the store forces every name on the way to it, also names that it did not create.
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

    /**
     * An earlier opener may have been killed before it forced the name of tallystick.store. A crash that kept the
     * store's first file and lost that name would leave a directory that every opener refuses.
     */
    private static void forceNameOfEmptyStore(Disk disk, Path path) throws IOException {
        if (strangers(disk, path).isEmpty()) {
            disk.forceDirectory(path);
        }
    }

    private static List<Path> strangers(Disk disk, Path path) throws IOException {
        List<Path> strangers = new ArrayList<>(disk.list(path));
        strangers.removeIf(StoreDirectory::isOwnFile);
        return strangers;
    }

    /** Whether the files of the store in this directory are being exchanged for others, or that was cut off. */
    public static boolean isBeingExchanged(Disk disk, Path path) throws IOException {
        return disk.kindOf(path.resolve(SWAP_FILE)) != Disk.PathKind.MISSING;
    }

    /** An owner would change files that the list of the backup names, and nothing could restore it then. */
    private static void checkNoBackup(Disk disk, Path path) throws IOException {
        checkNoBackup(disk, path, path);
        if (path.endsWith(BACKUP_STORE)) {
            checkNoBackup(disk, path, Objects.requireNonNull(path.getParent(), "the path of a directory is absolute"));
        }
    }

    private static void checkNoBackup(Disk disk, Path path, Path backup) throws IOException {
        Path list = backup.resolve(BACKUP_FILE);
        ByteBuffer title = ByteBuffer.wrap(BACKUP_TITLE.getBytes(StandardCharsets.UTF_8));
        if (disk.kindOf(list) == Disk.PathKind.FILE && SmallFile.beginsWith(disk, list, title)) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "directory=" + path + " is, or lies in, the backup " + backup + "; run 'tallystick restore "
                            + backup + " DIRECTORY', and configure that directory. If an application has run on it"
                            + " before, restore refuses it, and it is a store: delete " + list + " then",
                    null);
        }
    }

    private static void checkNoSwap(Disk disk, Path path) throws IOException {
        if (isBeingExchanged(disk, path)) {
            throw new StoreDirectoryException(
                    Reason.UNUSABLE,
                    "directory=" + path + " holds a store whose files are being replaced: a repair, a compaction or a"
                            + " restoration was cut off; run 'tallystick repair --yes " + path + "' to finish it",
                    null);
        }
    }

    private static void checkMayBecomeStore(Disk disk, Path path, boolean expectExisting) throws IOException {
        if (expectExisting) {
            throw new StoreDirectoryException(
                    Reason.UNUSABLE,
                    "directory=" + path + " holds no store, but one is expected there;"
                            + " mount the volume that holds it, or unset tallystick.expect-existing",
                    null);
        }
        List<Path> strangers = strangers(disk, path);
        if (!strangers.isEmpty()) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "directory=" + path + " is not empty and holds no store (it has no " + StoreIdentity.FILE_NAME
                            + ", but for example " + strangers.get(0).getFileName()
                            + "); configure an empty or a new directory",
                    null);
        }
    }

    private static void checkAdoptable(Disk disk, Path path, String kind, Taker taker) throws IOException {
        if (!taker.isAdopter()) {
            return;
        }
        Optional<StoreIdentity> found = readFitting(disk, path, kind, taker.nodeId());
        if (found.isEmpty() || NodeBinding.read(disk, path, found.get().id()).isEmpty()) {
            throw new StoreDirectoryException(
                    Reason.FOREIGN,
                    "directory=" + path + " holds no store of node="
                            + taker.nodeId().orElseThrow()
                            + " that could be adopted: " + NodeBinding.FILE_NAME + " does not name this node. Mount"
                            + " the volume of the node; if its store has no such file, start the node itself on it",
                    null);
        }
    }

    private static DiskLock locked(Disk disk, Path path, String kind, Taker taker) throws IOException {
        Optional<DiskLock> lock = tryLock(disk, path);
        if (lock.isPresent()) {
            return lock.get();
        }
        checkNoWriteIsOut(path);
        boolean isHome = taker.nodeId().isPresent() && !taker.isAdopter();
        if (isHome && adopter(disk, path).isPresent()) {
            // A store that this taker could not have is left to its adopter.
            PlaceCheck.of(disk, path, readFitting(disk, path, kind, taker.nodeId()), taker);
            lock = HomeRequest.make(
                    disk, path, taker.patience(), () -> adopter(disk, path), () -> tryLockLater(disk, path));
        } else if (isHome && EndingOwner.isEnding(owner(disk, path))) {
            Optional<StoreIdentity> found = readFitting(disk, path, kind, taker.nodeId());
            PlaceCheck.of(disk, path, found, taker);
            if (found.isPresent()
                    && NodeBinding.read(disk, path, found.get().id()).equals(taker.nodeId())) {
                lock = awaitEnd(disk, path, taker.patience());
            }
        }
        return lock.orElseThrow(() -> refusal(disk, path));
    }

    /** Waits for the lock of the process that is ending; empty if it did not end in time, or another owner has it. */
    private static Optional<DiskLock> awaitEnd(Disk disk, Path path, Duration atMost) throws IOException {
        LOG.log(
                System.Logger.Level.INFO,
                "TALLY0114 directory=" + path + " is in use by an earlier process of this node, which is ending: "
                        + owner(disk, path) + "; this start waits up to " + atMost.toSeconds()
                        + " s (tallystick.patience)");
        Optional<DiskLock> lock = Optional.empty();
        try (Patience patience = new Patience(atMost)) {
            while (lock.isEmpty() && EndingOwner.isEnding(owner(disk, path)) && patience.pauseLong()) {
                lock = tryLockLater(disk, path);
            }
        }
        return lock.isPresent() ? lock : tryLockLater(disk, path);
    }

    /** After a wait, in which a hand may have removed the lock's file under an owner who has not noticed it yet. */
    private static Optional<DiskLock> tryLockLater(Disk disk, Path path) throws IOException {
        RemovedLock.await(disk, path);
        return tryLock(disk, path);
    }

    private static StoreDirectoryException refusal(Disk disk, Path path) {
        Optional<Path> out = UnansweredWrites.in(path);
        if (out.isPresent()) {
            return unanswered(path, out.get());
        }
        return new StoreDirectoryException(
                Reason.LOCKED,
                adopter(disk, path)
                        .map(adopter -> "directory=" + path + " is in use by the adopter of its node, " + adopter
                                + "; wait until that process has ended, or end it, and start again. A start with the"
                                + " node's tallystick.node-id asks it to leave")
                        .orElseGet(() -> inUse(path, owner(disk, path))),
                null);
    }

    private static String inUse(Path path, String owner) {
        String remedy = "; close that store, or configure another directory";
        if (EndingOwner.isEnding(owner)) {
            remedy = "; that process is ending: start again when it has ended. A start with the"
                    + " tallystick.node-id of the same node waits for it, up to tallystick.patience";
        } else if (LockFile.isHeldInAnotherClassLoader(path.resolve(LOCK_FILE))) {
            remedy = ", which is another class loader of this process. If that was an earlier application of this"
                    + " process, it was stopped and did not close its store: start this process again, and have the"
                    + " application close its store when it is stopped. If it still runs, configure another directory";
        }
        return "directory=" + path + " is in use by " + owner + remedy;
    }

    /** The last owner by the owner file, if that says that it is an adopter. */
    private static Optional<String> adopter(Disk disk, Path path) {
        return Optional.of(owner(disk, path)).filter(StoreDirectory::isAdopter);
    }

    static boolean isAdopter(String owner) {
        return (' ' + owner + ' ').contains(' ' + ADOPTER + ' ');
    }

    /** Gives the lock up after a failure. A second failure is added to the first. */
    private static void release(DiskLock lock, Throwable failed) {
        try {
            lock.close();
        } catch (IOException | RuntimeException | Error alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }

    private static Optional<DiskLock> tryLock(Disk disk, Path path) throws IOException {
        try {
            return disk.tryLock(path.resolve(LOCK_FILE));
        } catch (IOException refused) {
            throw unusable(path, refused);
        }
    }

    /** The last owner by the owner file, on one line, for people. That owner has the directory or had it. */
    static String owner(Disk disk, Path path) {
        try (DiskFile file = disk.open(path.resolve(OWNER_FILE), OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), MAX_OWNER_BYTES));
            file.readFully(bytes, 0);
            String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
            return text.strip().replaceAll("\\s+", " ").replaceAll("\\p{C}", "?");
        } catch (IOException unknown) {
            return "an owner without a readable " + OWNER_FILE;
        }
    }

    private static void writeOwner(Disk disk, Path path, boolean isAdopter) throws IOException {
        String text = "pid=" + ProcessHandle.current().pid() + "\nhost=" + HostName.ofThisMachine() + "\nsince="
                + Instant.now() + "\n" + (isAdopter ? ADOPTER + "\n" : "");
        try {
            SmallFile.note(disk, path.resolve(OWNER_FILE), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException refused) {
            // This is a note for people. Without room for it an owner must still be able to finish the transactions.
            if (!Shortage.isShortageOfRoom(refused) && disk.usableSpace(path) >= NEARLY_FULL_BYTES) {
                throw refused;
            }
            forgetOwner(disk, path, refused);
        }
    }

    /** The note of the owner before would call a process that has ended the owner, and perhaps one that is ending. */
    private static void forgetOwner(Disk disk, Path path, IOException why) {
        try {
            disk.delete(path.resolve(OWNER_FILE));
        } catch (NoSuchFileException none) {
            // no owner has left one
        } catch (IOException alsoRefused) {
            why.addSuppressed(alsoRefused);
        }
    }

    private static StoreDirectoryException foreign(Path path, String found, String wanted) {
        return new StoreDirectoryException(
                Reason.FOREIGN,
                "directory=" + path + " holds a store of kind " + found + ", but a store of kind " + wanted
                        + " was asked for; configure the kind that is there, or another directory",
                null);
    }

    private static StoreDirectoryException ofAnotherNode(Path path, String owner, String opener) {
        return new StoreDirectoryException(
                Reason.FOREIGN,
                "directory=" + path + " belongs to node=" + owner + ", but node=" + opener
                        + " (tallystick.node-id) was to open it; mount the volume of " + opener
                        + ", or, if the node was renamed for good, delete " + NodeBinding.FILE_NAME
                        + " in there while no process has the store",
                null);
    }

    private static StoreDirectoryException unusable(Path path, IOException refused) {
        String why = refused instanceof AccessDeniedException denied
                ? DeniedAccess.describe(denied)
                : refused instanceof NoSuchFileException ? "it does not exist" : String.valueOf(refused.getMessage());
        return new StoreDirectoryException(
                Reason.UNUSABLE,
                "directory=" + path.toAbsolutePath() + " cannot be used: " + why
                        + "; check that it exists, is writable and lies on a local disk with room",
                refused);
    }
}

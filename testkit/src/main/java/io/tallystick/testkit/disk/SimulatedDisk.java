package io.tallystick.testkit.disk;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A disk in memory whose crash loses any unforced data that a real disk may lose.
 *
 * <p><b>Model.</b> Each file has a visible content and a content on disk. The changes in between are a list that
 * {@link DiskFile#force} empties. Each directory has visible names and names on disk in the same way, and
 * {@link #forceDirectory} makes them equal. {@link #crash} returns the disk after a crash: any subset of the unforced
 * changes and names is kept, see {@link CrashDamage}. Forced data is always kept. A write in mode
 * {@link OpenMode#DIRECT_SYNC} is forced when it returns.
 *
 * <p><b>Crashing.</b> {@link #crashAt} lets the disk die during the n-th operation that changes something. That
 * operation has begun and throws; every later operation throws too, also on open files. One dead disk may be crashed
 * with many seeds. A seed gives the same damage every time.
 *
 * <p><b>Trouble.</b> A force may fail and lose what it should have forced ({@link #failNextForce},
 * {@link #failNextDirectoryForce}). The system may have lost bytes before the force ({@link #failNextWriteback}).
 * Written bytes may become unreadable ({@link #failReads}). A buffered read may see old bytes after a direct write
 * ({@link #delayPageCache}). There may be no room ({@link #setCapacity}), or none for this user ({@link #setQuota}).
 *
 * <p><b>Limits.</b> It has directories, regular files, symbolic links ({@link #createLink}) and denied access
 * ({@link #denyAccess}). It has no users, times or hard links. A locked file is locked for all users of the instance,
 * and free after a crash. Any number of threads may use it. Interrupts have no effect.
 */
public final class SimulatedDisk implements Disk {
    /** In mode {@link OpenMode#DIRECT_SYNC} positions and lengths must be multiples of this, bytes. */
    public static final int DIRECT_ALIGNMENT = 4096;

    /** The seeds of {@link #crash} from 0 to this number minus 1 are the extreme cases; the others are random. */
    public static final int EXTREME_SEEDS = 4;

    private static final long UNLIMITED = 1L << 40;

    private final SimulatedNode.Directory root;
    private final SimulatedNames names;
    private final List<NameChange> unsyncedNames;
    private final Set<SimulatedNode.File> locked = new HashSet<>();

    private long capacity = UNLIMITED;
    private long quotaBytes = UNLIMITED;
    private long quotaFiles = UNLIMITED;
    private long operations;
    private long crashOperation = Long.MAX_VALUE;
    private String crash;
    private boolean nextForceFails;
    private boolean nextDirectoryForceFails;
    private boolean namesAreGoneAtOnce;
    private WritebackReport nextWritebackReport;
    private boolean pagesAreDropped;
    private boolean nextReadFails;
    private int staleReadsAfterDirectWrite;

    /** An empty disk. */
    public SimulatedDisk() {
        this(new SimulatedNode.Directory(), new ArrayList<>());
    }

    private SimulatedDisk(SimulatedNode.Directory root, List<NameChange> unsyncedNames) {
        this.root = root;
        this.names = new SimulatedNames(root);
        this.unsyncedNames = unsyncedNames;
    }

    /** The number of operations so far that change something; reads and lists are not counted. */
    public synchronized long operations() {
        return operations;
    }

    /**
     * Lets the disk die during the operation that {@link #operations} will count as this one.
     *
     * @throws IllegalArgumentException that operation is past
     */
    public synchronized void crashAt(long operation) {
        if (operation <= operations) {
            throw new IllegalArgumentException("operation=" + operation + " is past; there were " + operations);
        }
        crashOperation = operation;
    }

    /** The operation during which the disk died, or empty while it lives. */
    public synchronized Optional<String> crashedDuring() {
        return Optional.ofNullable(crash);
    }

    /**
     * The disk after a crash at this moment. The crash ends this disk if it still lives.
     *
     * @param seed the unforced data that is kept: 0 for none, 1 for all, 2 for all names and no content, 3 for all
     *     content and no names; any other number for a random part
     */
    public synchronized SimulatedDisk crash(long seed) {
        die();
        return new SimulatedDisk(new CrashDamage(seed).damaged(root, unsyncedNames), new ArrayList<>());
    }

    /**
     * The disk after a kill of the process alone. The kill ends this disk if it still lives. All data stays visible,
     * locks are free, and a later crash may still lose unforced data. This method can be called once, and
     * {@link #crash} not after it.
     */
    public synchronized SimulatedDisk kill() {
        die();
        return new SimulatedDisk(root, unsyncedNames);
    }

    private void die() {
        if (crash == null) {
            crash = "no operation";
        }
    }

    /**
     * Lets the next force of a file fail as it does on Linux. The data stays readable until the crash and is lost then,
     * except in mode {@link OpenMode#DIRECT_SYNC}, which reads the disk. A later force succeeds without writing it. A
     * write of the same bytes, and its force, bring them to disk.
     */
    public synchronized void failNextForce() {
        nextForceFails = true;
    }

    /**
     * Lets the next force of a directory fail as it may on Linux. The crash loses the unforced changes of names. The
     * error is reported once, and a later force succeeds without writing them.
     *
     * @param goneAtOnce true undoes the changes at once; false leaves them visible until the crash
     */
    public synchronized void failNextDirectoryForce(boolean goneAtOnce) {
        nextDirectoryForceFails = true;
        namesAreGoneAtOnce = goneAtOnce;
    }

    /**
     * The system tries to bring the next write to disk by itself, with all unforced changes of that file, and fails.
     * They are lost. The error is kept until a force, or a write in mode {@link OpenMode#DIRECT_SYNC}, tells it. A next
     * write in that mode is not concerned, as it is on disk already.
     *
     * @param report the descriptors that are told
     * @param isGoneAtOnce true shows the content on disk at once, as if the system had dropped the pages; false shows
     *     the lost changes until the crash
     */
    public synchronized void failNextWriteback(WritebackReport report, boolean isGoneAtOnce) {
        nextWritebackReport = Objects.requireNonNull(report);
        pagesAreDropped = isGoneAtOnce;
    }

    /**
     * Makes the sectors of these bytes unreadable, as a worn-out medium does. A read of them fails, after a crash too,
     * until each is written as a whole or {@link #healReads} is called.
     */
    public synchronized void failReads(Path file, long position, long length) throws IOException {
        names.file(file).failReads(position, length);
    }

    /** As {@link #failReads} for the bytes that the next read asks for. */
    public synchronized void failNextRead() {
        nextReadFails = true;
    }

    /** Makes all sectors of all files readable again, with their content, and the page cache agree with the disk. */
    public synchronized void healReads() {
        names.healReads();
    }

    /**
     * Lets the page cache lag behind the next write in mode {@link OpenMode#DIRECT_SYNC}. So many reads of these bytes
     * in other modes, by any process, see the bytes before it. A crash ends this.
     */
    public synchronized void delayPageCache(int reads) {
        staleReadsAfterDirectWrite = reads;
    }

    /**
     * Limits the files of the user, directories included, and their bytes. Existing data stays, and {@link
     * #usableSpace} does not show the quota.
     */
    public synchronized void setQuota(long bytes, long files) {
        quotaBytes = bytes;
        quotaFiles = files;
    }

    /** Limits the bytes of all files together; existing data stays. */
    public synchronized void setCapacity(long bytes) {
        capacity = bytes;
    }

    /** Denies every operation on this path and below it from now on. */
    public synchronized void denyAccess(Path path) throws IOException {
        names.deny(path);
    }

    /** Makes a symbolic link, durable at once. */
    public synchronized void createLink(Path link, Path target) throws IOException {
        NameChange change = NameChange.link(names.free(link).place(), new SimulatedNode.Link(target));
        change.applyTo(directory -> directory.seen);
        change.applyTo(directory -> directory.durable);
    }

    /** The visible content of the file. */
    public synchronized byte[] contents(Path file) throws IOException {
        return names.file(file).seen.toBytes();
    }

    /** Replaces the content of an existing file, durable at once, as bit rot or an intruder does. */
    public synchronized void replaceContents(Path file, byte[] bytes) throws IOException {
        SimulatedNode.File node = names.file(file);
        node.change(new SimulatedNode.Resize(0));
        node.change(new SimulatedNode.Write(0, bytes.clone()));
        node.force();
    }

    @Override
    public synchronized DiskFile open(Path path, OpenMode mode) throws IOException {
        checkAlive();
        if (mode != OpenMode.CREATE_NEW) {
            return new OpenFile(path, names.file(path), mode);
        }
        SimulatedNames.Found found = names.free(path);
        checkQuotaOfFiles(path);
        SimulatedNode.File node = new SimulatedNode.File();
        boolean dies = beginsLastOperation();
        change(NameChange.link(found.place(), node));
        dieIf(dies, DiskOperation.OPEN, path, "to create it");
        return new OpenFile(path, node, mode);
    }

    @Override
    public synchronized PathKind kindOf(Path path) throws IOException {
        checkAlive();
        SimulatedNode node;
        try {
            node = names.resolved(path, false).node();
        } catch (NoSuchFileException missing) {
            return PathKind.MISSING;
        } catch (FileSystemException refused) {
            if (SimulatedNames.NOT_A_DIRECTORY.equals(refused.getReason())) {
                return PathKind.MISSING;
            }
            throw refused;
        }
        if (node == null) {
            return PathKind.MISSING;
        }
        if (node instanceof SimulatedNode.Directory) {
            return PathKind.DIRECTORY;
        }
        return node instanceof SimulatedNode.Link ? PathKind.LINK : PathKind.FILE;
    }

    @Override
    public synchronized long size(Path path) throws IOException {
        checkAlive();
        return names.file(path).seen.size();
    }

    @Override
    public synchronized void createDirectory(Path path) throws IOException {
        checkAlive();
        SimulatedNames.Found found = names.free(path);
        checkQuotaOfFiles(path);
        boolean dies = beginsLastOperation();
        change(NameChange.link(found.place(), new SimulatedNode.Directory()));
        dieIf(dies, DiskOperation.CREATE_DIRECTORY, path, "");
    }

    @Override
    public synchronized void rename(Path source, Path target) throws IOException {
        checkAlive();
        SimulatedNames.Found from = names.existing(source, false);
        SimulatedNames.Found to = names.resolved(target, false);
        SimulatedNames.checkMayReplace(from, to, target);
        boolean dies = beginsLastOperation();
        if (!from.place().equals(to.place())) {
            change(NameChange.rename(from.place(), to.place(), from.node()));
        }
        dieIf(dies, DiskOperation.RENAME, source, "target=" + target);
    }

    @Override
    public synchronized void renameToNew(Path source, Path target) throws IOException {
        checkAlive();
        SimulatedNames.Found from = names.existing(source, false);
        SimulatedNames.Found to = names.resolved(target, false);
        if (to.node() != null && !from.place().equals(to.place())) {
            throw new FileAlreadyExistsException(target.toString());
        }
        rename(source, target);
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        checkAlive();
        SimulatedNames.Found found = names.existing(path, false);
        if (found.node() instanceof SimulatedNode.Directory directory && !directory.seen.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        boolean dies = beginsLastOperation();
        change(NameChange.unlink(found.place()));
        dieIf(dies, DiskOperation.DELETE, path, "");
    }

    @Override
    public synchronized List<Path> list(Path path) throws IOException {
        checkAlive();
        return new ArrayList<>(
                names.directory(path).seen.keySet().stream().map(path::resolve).toList());
    }

    @Override
    public synchronized void forceDirectory(Path path) throws IOException {
        checkAlive();
        SimulatedNode.Directory directory = names.directory(path);
        dieIf(beginsLastOperation(), DiskOperation.FORCE_DIRECTORY, path, "");
        if (nextDirectoryForceFails) {
            nextDirectoryForceFails = false;
            loseNames(directory);
            throw new IOException(path + ": " + DiskFault.EIO);
        }
        List<NameChange> forced = NameChange.withPredecessors(
                unsyncedNames,
                unsyncedNames.stream()
                        .filter(change -> change.concerns(directory))
                        .toList());
        forced.forEach(change -> change.applyTo(at -> at.durable));
        unsyncedNames.removeAll(forced);
    }

    private void loseNames(SimulatedNode.Directory directory) {
        List<NameChange> lost = unsyncedNames.stream()
                .filter(change -> change.concerns(directory))
                .toList();
        unsyncedNames.removeAll(lost);
        if (namesAreGoneAtOnce) {
            lost.forEach(NameChange::undo);
            // Another unforced change may have changed the same name again.
            unsyncedNames.forEach(change -> change.applyTo(at -> at.seen));
        }
    }

    @Override
    public synchronized Path realPath(Path path) throws IOException {
        checkAlive();
        return names.existing(path, true).real();
    }

    @Override
    public synchronized long usableSpace(Path path) throws IOException {
        checkAlive();
        names.existing(path, true);
        return Math.max(0, capacity - names.usedBytes());
    }

    @Override
    public synchronized String fileSystemType(Path path) throws IOException {
        checkAlive();
        names.existing(path, true);
        return "simulated";
    }

    @Override
    public synchronized int directAlignment(Path directory) throws IOException {
        checkAlive();
        names.existing(directory, true);
        return DIRECT_ALIGNMENT;
    }

    @Override
    public synchronized Optional<DiskLock> tryLock(Path path) throws IOException {
        checkAlive();
        if (names.resolved(path, false).node() == null) {
            SimulatedNames.Found found = names.free(path);
            checkQuotaOfFiles(path);
            boolean dies = beginsLastOperation();
            change(NameChange.link(found.place(), new SimulatedNode.File()));
            dieIf(dies, DiskOperation.LOCK, path, "to create it");
        }
        SimulatedNode.File node = names.file(path);
        return locked.add(node) ? Optional.of(new OpenLock(node)) : Optional.empty();
    }

    private void checkAlive() throws IOException {
        if (crash != null) {
            throw new IOException("the simulated disk has crashed at operation=" + operations + " " + crash);
        }
    }

    private boolean beginsLastOperation() {
        operations++;
        return operations == crashOperation;
    }

    private void dieIf(boolean dies, DiskOperation operation, Path path, String detail) throws IOException {
        if (dies) {
            crash = operation.describe(path, detail);
            checkAlive();
        }
    }

    private void change(NameChange change) {
        change.applyTo(directory -> directory.seen);
        unsyncedNames.add(change);
    }

    private void checkQuotaOfFiles(Path path) throws IOException {
        if (quotaFiles != UNLIMITED && names.usedFiles() >= quotaFiles) {
            throw new FileSystemException(path.toString(), null, DiskFault.EDQUOT);
        }
    }

    private final class OpenFile implements DiskFile {
        private final Path path;
        private final SimulatedNode.File node;
        private final OpenMode mode;
        private final WritebackErrors.Cursor errors;
        private boolean closed;

        OpenFile(Path path, SimulatedNode.File node, OpenMode mode) {
            this.path = path;
            this.node = node;
            this.mode = mode;
            this.errors = node.writebackErrors.cursor();
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public long size() throws IOException {
            synchronized (SimulatedDisk.this) {
                checkOpen();
                return node.seen.size();
            }
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkOpen();
                checkAligned(position, target.remaining());
                if (nextReadFails) {
                    nextReadFails = false;
                    node.failReads(position, target.remaining());
                }
                node.checkReadable(path, position, target.remaining());
                return mode == OpenMode.DIRECT_SYNC
                        ? node.readPastPageCache(target, position)
                        : node.readThroughPageCache(target, position);
            }
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkWritable();
                checkAligned(position, source.remaining());
                byte[] bytes = new byte[lengthThatFits(source.remaining(), position)];
                boolean dies = beginsLastOperation();
                source.get(bytes);
                SimulatedNode.Write write = new SimulatedNode.Write(position, bytes);
                if (mode == OpenMode.DIRECT_SYNC && !dies) {
                    node.lag(write, staleReadsAfterDirectWrite);
                    staleReadsAfterDirectWrite = 0;
                    node.changeDurably(write);
                    errors.check(path);
                } else {
                    node.change(write);
                    if (nextWritebackReport != null) {
                        node.failWriteback(nextWritebackReport, pagesAreDropped);
                    }
                }
                nextWritebackReport = null;
                dieIf(dies, DiskOperation.WRITE, path, "position=" + position + " length=" + bytes.length);
                return bytes.length;
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (SimulatedDisk.this) {
                checkOpen();
                dieIf(beginsLastOperation(), DiskOperation.FORCE, path, "");
                if (nextForceFails) {
                    nextForceFails = false;
                    node.loseUnsynced();
                    throw new IOException(path + ": " + DiskFault.EIO);
                }
                node.force();
                errors.check(path);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (SimulatedDisk.this) {
                checkWritable();
                boolean dies = beginsLastOperation();
                if (size < node.seen.size()) {
                    node.change(new SimulatedNode.Resize(size));
                }
                dieIf(dies, DiskOperation.TRUNCATE, path, "size=" + size);
            }
        }

        @Override
        public void close() {
            synchronized (SimulatedDisk.this) {
                closed = true;
            }
        }

        private void checkOpen() throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            checkAlive();
        }

        private void checkWritable() throws IOException {
            checkOpen();
            if (mode == OpenMode.READ) {
                throw new NonWritableChannelException();
            }
        }

        private void checkAligned(long position, int length) throws IOException {
            if (mode == OpenMode.DIRECT_SYNC && (position % DIRECT_ALIGNMENT != 0 || length % DIRECT_ALIGNMENT != 0)) {
                throw new IOException("Invalid argument: position=" + position + " length=" + length
                        + " are not multiples of " + DIRECT_ALIGNMENT);
            }
        }

        private int lengthThatFits(int length, long position) throws IOException {
            long growth = position + length - node.seen.size();
            long limit = Math.min(capacity, quotaBytes);
            if (growth <= 0 || limit == UNLIMITED) {
                return length;
            }
            long room = Math.max(0, limit - names.usedBytes());
            if (room >= growth) {
                return length;
            }
            long fitting = node.seen.size() + room - position;
            if (fitting <= 0) {
                throw new IOException(quotaBytes < capacity ? DiskFault.EDQUOT : DiskFault.ENOSPC);
            }
            return (int) fitting;
        }
    }

    private final class OpenLock implements DiskLock {
        private SimulatedNode.File node;

        OpenLock(SimulatedNode.File node) {
            this.node = node;
        }

        @Override
        public void close() {
            synchronized (SimulatedDisk.this) {
                locked.remove(node);
                node = null;
            }
        }
    }
}

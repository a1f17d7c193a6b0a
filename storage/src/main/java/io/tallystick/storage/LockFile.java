package io.tallystick.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lock file of one owner or one glance, from before it is opened until it is closed.
 *
 * <p>On POSIX a process loses its locks on a file when it closes any descriptor of that file. So a file that has an
 * owner in this process is not opened a second time. The {@link ProcessTable} knows it by two names: the real path, and
 * the file system's key of the file. The key is the same after a rename, through a second mount and by a hard link.
 *
 * <p>If the table does not know the file, the Java VM still refuses a second lock on it. Then the descriptor is open
 * already. It stays open until the process ends, and serves the next caller for this file. There is at most one for
 * reading and one for writing.
 *
 * <p>Every lock file is reachable while it is open. So the garbage collector closes none that a caller has lost by an
 * Error.
 */
final class LockFile implements AutoCloseable {
    private static final String NAME_PREFIX = "io.tallystick.storage.lock:";
    private static final String HELD = "held";
    private static final String LOOKED_AT = "looked at";

    @GuardedBy("OPEN") private static final Set<LockFile> OPEN = new HashSet<>();

    private final Path file;
    private final boolean isForOwner;
    private final String text;
    private final Set<String> names = new HashSet<>();
    private final OwnersLock lock = new OwnersLock();

    private @Nullable FileChannel channel;
    private @Nullable String key;
    private boolean isTakenOver;
    private boolean isHandedOver;
    // Whether the channel stays open until the process ends, and waits for a caller.
    @GuardedBy("OPEN") private boolean isKept;

    private LockFile(Path file, boolean isForOwner) {
        this.file = file;
        this.isForOwner = isForOwner;
        this.text = ProcessTable.marked(isForOwner ? HELD : LOOKED_AT);
    }

    /** Whether the file, by its real path, has an owner in another class loader of this process. */
    static boolean isHeldInAnotherClassLoader(Path file) {
        return ProcessTable.isOfAnotherCopy(NAME_PREFIX + file, HELD);
    }

    /** Opens lock files. */
    interface Opener {
        /** Opens the file, which is made if it is missing. */
        FileChannel open(Path file) throws IOException;

        /** Gives a file that was opened the permissions that it should have. */
        void giveToOwner(Path file) throws IOException;
    }

    /** The file of a caller that wants the lock. */
    static LockFile ofOwner(Path file) {
        return new LockFile(file, true);
    }

    /** The file of a caller that only looks at the lock. */
    static LockFile ofGlance(Path file) {
        return new LockFile(file, false);
    }

    /**
     * Enters the file in the table and opens it.
     *
     * @return false if it has an owner in this process, or glances at it do not end
     */
    boolean open(Opener opener, Patience patience) throws IOException {
        synchronized (OPEN) {
            OPEN.add(this);
        }
        if (!enter(file.toString(), patience) || !enterKey(patience)) {
            return false;
        }
        if (key != null) {
            takeOver(key);
        }
        if (channel == null) {
            channel = opener.open(file);
        }
        // A new file may have got a second name meanwhile, and an owner by that name.
        if (!enterKey(patience)) {
            keep();
            return false;
        }
        opener.giveToOwner(file);
        return true;
    }

    /** Takes the exclusive lock; false if there is an owner, or glances do not end. */
    boolean lockExclusively(Patience patience) throws IOException {
        try {
            FileLock exclusive = channel().tryLock();
            while (exclusive == null && hasNoOwner() && patience.pause()) {
                exclusive = channel().tryLock();
            }
            return exclusive != null;
        } catch (OverlappingFileLockException heldInThisProcess) {
            keep();
            return false;
        }
    }

    /** Whether there is no owner now. */
    boolean hasNoOwner() throws IOException {
        try (FileLock shared = channel().tryLock(0, Long.MAX_VALUE, true)) {
            return shared != null;
        } catch (OverlappingFileLockException heldInThisProcess) {
            keep();
            return false;
        }
    }

    /** The lock for its owner; from now on the file stays open until the owner closes the lock. */
    Optional<DiskLock> handOver() {
        Optional<DiskLock> handed = Optional.of(lock);
        isHandedOver = true;
        return handed;
    }

    /** Ends an attempt; does nothing if the lock was handed over. */
    @Override
    public void close() throws IOException {
        if (!isHandedOver) {
            end();
        }
    }

    private void end() throws IOException {
        try {
            if (channel != null && !isToStayOpen()) {
                channel.close();
            }
        } finally {
            names.forEach(name -> ProcessTable.leave(name, text));
            synchronized (OPEN) {
                if (!isKept) {
                    OPEN.remove(this);
                }
            }
        }
    }

    private FileChannel channel() {
        return Objects.requireNonNull(channel, "the lock file was not opened");
    }

    private boolean isToStayOpen() {
        synchronized (OPEN) {
            return isKept;
        }
    }

    private boolean enter(String name, Patience patience) {
        String prefixed = NAME_PREFIX + name;
        if (names.contains(prefixed)) {
            return true;
        }
        names.add(prefixed);
        Optional<String> known = ProcessTable.enter(prefixed, text);
        while (known.isPresent() && known.get().startsWith(LOOKED_AT) && patience.pause()) {
            known = ProcessTable.enter(prefixed, text);
        }
        return known.isEmpty();
    }

    /** Enters the key of the file that has the path now, if there is one. */
    private boolean enterKey(Patience patience) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            // Only the keys of the operating system's files are unique, and not every operating system has keys.
            boolean hasKey =
                    attributes.fileKey() != null && file.getFileSystem().equals(FileSystems.getDefault());
            key = (hasKey ? attributes.fileKey() : file).toString();
            return enter(key, patience);
        } catch (NoSuchFileException missing) {
            return true;
        }
    }

    /** Has the channel stay open until the process ends, because closing it would take an owner's lock. */
    private void keep() {
        synchronized (OPEN) {
            isKept = true;
        }
        if (!isTakenOver) {
            // A program may unload this class.
            UnansweredWrites.keepUntilExit(channel());
        }
    }

    /** Uses the channel of an earlier call that had to stay open, if there is one for this use of this file. */
    private void takeOver(String ofFile) {
        synchronized (OPEN) {
            for (LockFile other : OPEN) {
                if (other.isKept && other.isForOwner == isForOwner && ofFile.equals(other.key)) {
                    channel = other.channel;
                    isTakenOver = true;
                    OPEN.remove(other);
                    return;
                }
            }
        }
    }

    private final class OwnersLock implements DiskLock {
        @Override
        public synchronized void close() throws IOException {
            if (channel().isOpen()) {
                end();
            }
        }
    }
}

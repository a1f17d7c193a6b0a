package io.tallystick.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Locks of the operating system on whole files, one owner for each in all processes.
 *
 * <p>An owner has the exclusive lock. A glance, which only finds out whether there is an owner, takes a shared one and
 * gives it up at once; but a process may be stopped in between, for as long as its machine likes. So an opener that is
 * refused the exclusive lock asks for a shared one: if it gets that, there is no owner but a glance, or another opener
 * that asks the same, and it waits and tries again. It gives up after a time that no glance takes.
 *
 * <p>A process has its locks as a whole, and closing any descriptor of a file gives them up. So owners and glances are
 * entered in a table of the process before they open the file, and {@link LockFile} tells when a descriptor may be
 * closed.
 */
final class SystemLocks {
    /** How long an opener waits for glances to end. */
    static final Duration GLANCE_PATIENCE = Duration.ofSeconds(10);

    private static final LockFile.Opener TO_READ = new LockFile.Opener() {
        @Override
        public FileChannel open(Path file) throws IOException {
            return FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        }

        @Override
        public void giveToOwner(Path file) {
            // a glance changes nothing
        }
    };

    private final Duration glancePatience;

    SystemLocks(Duration glancePatience) {
        this.glancePatience = glancePatience;
    }

    /** {@link Disk#tryLock}. */
    Optional<DiskLock> tryLock(Path file, LockFile.Opener opener) throws IOException {
        Path real = realPath(file);
        try (Patience patience = new Patience(glancePatience);
                LockFile lockFile = LockFile.ofOwner(real)) {
            boolean isLocked = lockFile.open(opener, patience) && lockFile.lockExclusively(patience);
            return isLocked ? lockFile.handOver() : Optional.empty();
        }
    }

    /** {@link Disk#isLocked}. */
    boolean isLocked(Path file) throws IOException {
        try (Patience patience = new Patience(glancePatience);
                LockFile lockFile = LockFile.ofGlance(realPath(file))) {
            return !lockFile.open(TO_READ, patience) || !lockFile.hasNoOwner();
        } catch (NoSuchFileException noOwnerCan) {
            return false;
        }
    }

    /** The same for every way to the directory, but with the last name as it is: a link is not followed. */
    private static Path realPath(Path file) throws IOException {
        return file.toAbsolutePath().getParent().toRealPath().resolve(file.getFileName());
    }
}

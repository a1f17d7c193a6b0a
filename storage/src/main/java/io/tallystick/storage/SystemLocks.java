package io.tallystick.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Locks of the operating system on whole files. A lock has one owner in all processes.
 *
 * <p>An owner has the exclusive lock. A glance only finds out whether there is an owner: it takes a shared lock and
 * gives it up at once. But the operating system may stop a process in between. So an opener that is refused the
 * exclusive lock asks for a shared one. If it gets that, there is a glance or another opener, but no owner. Then the
 * opener waits and tries again. It gives up after a time that no glance takes.
 *
 * <p>Locks belong to a process, and closing any descriptor of a file gives them up. So owners and glances enter a table
 * of the process before they open the file. {@link LockFile} decides when a descriptor may be closed.
 */
final class SystemLocks {
    /** How long an opener waits for glances to end. */
    static final Duration GLANCE_PATIENCE = Duration.ofSeconds(10);

    private static final LockFile.Opener TO_READ = new LockFile.Opener() {
        @Override
        public FileChannel open(Path file) throws IOException {
            return SystemRules.HERE.isPatient()
                    ? SystemRules.HERE.patiently(() -> channel(file), () -> true)
                    : channel(file);
        }

        private FileChannel channel(Path file) throws IOException {
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
        Path absolute = file.toAbsolutePath();
        Path directory = Objects.requireNonNull(absolute.getParent(), () -> "file=" + file + " has no directory");
        return directory.toRealPath().resolve(file.getFileName());
    }
}

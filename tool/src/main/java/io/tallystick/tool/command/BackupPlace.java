package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Directories that are backups: their files are compared with a manifest, so a store in one is only read. */
public final class BackupPlace {
    /** The list of a backup's files, written last. */
    public static final String MANIFEST_FILE = StoreDirectory.BACKUP_FILE;

    private BackupPlace() {}

    /** The backup that the directory is, or lies in; empty if there is none. */
    public static Optional<Path> around(Disk disk, Path directory) throws IOException {
        for (Path at = directory.toAbsolutePath().normalize(); at != null; at = at.getParent()) {
            if (isBackup(disk, at)) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }

    /** Whether the directory is a complete backup. */
    static boolean isBackup(Disk disk, Path directory) throws IOException {
        return disk.kindOf(directory) == Disk.PathKind.DIRECTORY
                && disk.kindOf(directory.resolve(MANIFEST_FILE)) == Disk.PathKind.FILE;
    }

    /** The remedy, for messages. */
    static String remedy(Path backup) {
        return "'tallystick restore " + Escaped.place(backup.toString()) + " DIRECTORY' makes a store of it";
    }

    /**
     * Refuses a directory that a command would write to.
     *
     * @throws ToolException it is a backup, or lies in one; nothing was changed
     */
    static void checkOutside(Disk disk, Path directory) throws IOException {
        Optional<Path> backup = around(disk, directory);
        if (backup.isPresent()) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + directory + " is, or lies in, the backup " + backup.get()
                            + ", and a change there would spoil it; nothing was changed. " + remedy(backup.get()));
        }
    }

    /**
     * Refuses two directories of which one lies in the other.
     *
     * @throws ToolException they do; nothing was changed
     */
    public static void checkBeside(Disk disk, Path source, Path target) throws IOException {
        Path from = real(disk, source);
        Path to = real(disk, target);
        if (to.startsWith(from) || from.startsWith(to)) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "directory=" + from + " and directory=" + to
                            + " are the same, or one lies in the other; give a target beside the source");
        }
    }

    /** The path with its links resolved as far as it exists. */
    static Path real(Disk disk, Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path there = absolute;
        while (there.getParent() != null && disk.kindOf(there) == Disk.PathKind.MISSING) {
            there = there.getParent();
        }
        return disk.realPath(there).resolve(there.relativize(absolute)).normalize();
    }
}

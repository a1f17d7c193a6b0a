package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.FileTreeSource;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SlotSource;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Finds the kind of source in a directory, by the names in it. */
final class LogSources {
    private LogSources() {}

    /**
     * The source in the directory, or in one below it where Narayana's {@code objectStoreDir} is given.
     *
     * @param scratch a directory that does not exist, for a copy
     * @throws ToolException there is no source
     */
    static LogSource in(Disk disk, Path directory, Supplier<Path> scratch) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        if (disk.kindOf(absolute) == Disk.PathKind.MISSING) {
            throw none(absolute, "does not exist");
        }
        Path real = disk.realPath(absolute);
        if (disk.kindOf(real) != Disk.PathKind.DIRECTORY) {
            throw none(real, "is not a directory");
        }
        if (exists(disk, real.resolve(StoreIdentity.FILE_NAME))) {
            return new StoreSource(disk, real, scratch);
        }
        if (exists(disk, real.resolve(Staging.NAME))) {
            throw none(real, "holds the files of an unfinished migration");
        }
        if (JournalSource.isIn(disk, real)) {
            return new JournalSource(disk, real, scratch);
        }
        if (SlotSource.isIn(disk, real)) {
            return new SlotSource(disk, real);
        }
        Path root = FileTreeSource.rootIn(disk, real);
        if (FileTreeSource.hasStates(disk, root)) {
            return new FileTreeSource(disk, root);
        }
        throw none(
                real,
                disk.list(real).isEmpty()
                        ? "is empty"
                        : "has neither tallystick.store nor *.txlog nor slot.N, and no file with the name of a state"
                                + " (a Uid such as 0_ffff7f000001_8c2b_6560f5a3_2)");
    }

    private static ToolException none(Path directory, String why) {
        return new ToolException(
                ExitStatus.NO_STORE,
                "directory=" + directory + " " + why
                        + "; give the directory of a Tallystick store or of one of Narayana's"
                        + " stores, or the URL of a database");
    }

    private static boolean exists(Disk disk, Path path) throws IOException {
        return disk.kindOf(path) != Disk.PathKind.MISSING;
    }
}

package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds processes that have files below a directory open. Linux shows this for the processes that the user may inspect.
 * Narayana's stores take no lock. Its journal and slot stores keep their files open, its file store does not.
 */
public final class OpenFiles {
    private static final Path PROCESSES = Path.of("/proc");

    private OpenFiles() {}

    /** A process other than this one; empty if no such process can be seen. */
    public static Optional<String> holderOf(Disk disk, Path directory) throws IOException {
        if (disk.kindOf(PROCESSES) != Disk.PathKind.DIRECTORY) {
            return Optional.empty();
        }
        Path real = disk.realPath(directory);
        for (Path process : disk.list(PROCESSES)) {
            String pid = process.getFileName().toString();
            if (pid.chars().allMatch(Character::isDigit)
                    && Long.parseLong(pid) != ProcessHandle.current().pid()) {
                Optional<Path> open = fileOpenIn(disk, process, real);
                if (open.isPresent()) {
                    return Optional.of("pid=" + pid + ", which has file=" + open.get() + " open");
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Path> fileOpenIn(Disk disk, Path process, Path directory) {
        List<Path> descriptors;
        try {
            descriptors = disk.list(process.resolve("fd"));
        } catch (IOException endedOrNotOurs) {
            return Optional.empty();
        }
        for (Path descriptor : descriptors) {
            try {
                Path open = disk.realPath(descriptor);
                if (open.startsWith(directory) && !open.equals(directory)) {
                    return Optional.of(open);
                }
            } catch (IOException closedOrNoFile) {
                // pipes and sockets have no path
            }
        }
        return Optional.empty();
    }
}

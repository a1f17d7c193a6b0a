package io.tallystick.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file system that a directory lies on, as far as the operating system tells.
 *
 * @param type its type, such as {@code ext4}
 * @param point the mount point; empty if the system does not tell
 * @param source the device, such as {@code /dev/sda1}; empty if the system does not tell
 * @param options of the mount; empty if the system does not tell
 * @param writeCache the disk's cache as the kernel knows it, {@code write back} or {@code write through}; empty if the
 *     system does not tell
 */
public record Mount(String type, String point, String source, String options, Optional<String> writeCache) {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Set<String> NO_FLUSH = Set.of("nobarrier", "barrier=0");

    /** The file system of an existing directory. */
    public static Mount of(Path directory) throws IOException {
        Path real = directory.toRealPath();
        Optional<Mount> mounted = SystemRules.HERE.hasUnixDevices() && Files.isReadable(TABLE)
                ? in(Files.readAllLines(TABLE), real)
                : Optional.empty();
        return mounted.isPresent()
                ? mounted.get()
                : new Mount(new SystemDisk().fileSystemType(real), "", "", "", Optional.empty());
    }

    /**
     * The mount that a path lies on, by the lines of {@code /proc/self/mountinfo}; of several at one point, the last.
     */
    public static Optional<Mount> in(List<String> table, Path path) {
        Mount best = null;
        int bestLength = -1;
        for (String line : table) {
            String[] fields = line.split(" ");
            int separator = List.of(fields).indexOf("-");
            if (fields.length < 6 || separator < 6 || fields.length < separator + 4) {
                continue;
            }
            Optional<Path> point = pointOf(fields[4]).filter(path::startsWith);
            if (point.isPresent() && point.get().getNameCount() >= bestLength) {
                bestLength = point.get().getNameCount();
                best = new Mount(
                        fields[separator + 1],
                        point.get().toString(),
                        unescaped(fields[separator + 2]),
                        options(fields[5], fields[separator + 3]),
                        writeCache(fields[2]));
            }
        }
        return Optional.ofNullable(best);
    }

    /** Empty if the locale of this process has no letters for the name; then none of its paths lies below. */
    private static Optional<Path> pointOf(String field) {
        try {
            return Optional.of(Path.of(unescaped(field)));
        } catch (InvalidPathException notNamedHere) {
            return Optional.empty();
        }
    }

    /** Whether the file system is memory, so that a force puts nothing on a disk. */
    public boolean isMemory() {
        return FileSystemConcern.about(type).equals(Optional.of(FileSystemConcern.MEMORY));
    }

    /** Warnings about a store there, each with the remedy. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        FileSystemConcern.about(type).ifPresent(concern -> warnings.add("file system " + type + ", " + concern.why()));
        for (String option : options.split(",")) {
            if (NO_FLUSH.contains(option)) {
                warnings.add("it is mounted with " + option + ": a sync does not empty the disk's cache; mount it"
                        + " without, unless the cache outlives a power cut");
            }
            if (option.equals("ro")) {
                warnings.add("it is mounted read-only (ro); mount it with rw");
            }
        }
        return warnings;
    }

    /** The mount's own and those of the file system, each once. */
    private static String options(String ofMount, String ofFileSystem) {
        return Stream.of(ofMount.split(","), ofFileSystem.split(","))
                .flatMap(Arrays::stream)
                .distinct()
                .collect(Collectors.joining(","));
    }

    /** Mountinfo writes space, tab, line feed and backslash as a backslash and three octal digits. */
    private static String unescaped(String field) {
        return field.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /** A partition has its queue where its disk is. */
    private static Optional<String> writeCache(String device) {
        Path block = Path.of("/sys/dev/block", device);
        try {
            Path real = block.toRealPath();
            for (Path at : List.of(real, real.getParent())) {
                Path file = at.resolve("queue/write_cache");
                if (Files.isReadable(file)) {
                    return Optional.of(Files.readString(file).strip());
                }
            }
        } catch (IOException notTold) {
            // no block device, or a container that does not show it
        }
        return Optional.empty();
    }
}

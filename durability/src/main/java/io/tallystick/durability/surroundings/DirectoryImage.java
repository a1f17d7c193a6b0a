package io.tallystick.durability.surroundings;

import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.StoreDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All names below a directory, with the mode and the bytes of each. Left out is what an opening that is refused later
 * may write or delete: the owner file, which tells people which process took the lock last, the file in which a journal
 * remembers what it measured of the disk, and the files of such a measurement, which a killed process leaves behind.
 */
public final class DirectoryImage {
    private final Map<String, String> files = new TreeMap<>();

    private DirectoryImage() {}

    /** The image of a directory; it is empty if there is none. */
    public static DirectoryImage of(Path directory) throws IOException {
        DirectoryImage image = new DirectoryImage();
        if (!Files.exists(directory)) {
            return image;
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                if (mayChange(path)) {
                    continue;
                }
                String mode = String.valueOf(Files.getAttribute(path, "unix:mode"));
                String content = Files.isRegularFile(path)
                        ? Files.size(path) + "B#" + Integer.toHexString(Arrays.hashCode(Files.readAllBytes(path)))
                        : "";
                image.files.put(directory.relativize(path).toString(), mode + " " + content);
            }
        }
        return image;
    }

    private static boolean mayChange(Path path) {
        return path.endsWith(StoreDirectory.OWNER_FILE)
                || path.endsWith(StoreDirectory.IO_FILE)
                || path.getFileName().toString().startsWith(DiskDevice.PROBE_PREFIX);
    }

    long count() {
        return files.size();
    }

    /** The first name that differs, and how; empty if nothing does. */
    public Optional<String> differenceTo(DirectoryImage later) {
        Map<String, String> all = new TreeMap<>(files);
        later.files.forEach(all::putIfAbsent);
        return all.keySet().stream()
                .filter(name -> !files.getOrDefault(name, "missing").equals(later.files.getOrDefault(name, "missing")))
                .map(name -> "'" + name + "' was " + files.getOrDefault(name, "missing") + " and is "
                        + later.files.getOrDefault(name, "missing"))
                .findFirst();
    }
}

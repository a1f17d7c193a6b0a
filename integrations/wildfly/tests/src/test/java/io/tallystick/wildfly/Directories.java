package io.tallystick.wildfly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies and deletes directories. */
final class Directories {
    private Directories() {}

    /** Copies a directory with all that it has. */
    static void copy(Path from, Path to) throws IOException {
        for (Path file : contents(from)) {
            Path target = to.resolve(from.relativize(file).toString());
            if (Files.isDirectory(file)) {
                Files.createDirectories(target);
            } else {
                Files.copy(file, target);
            }
        }
    }

    /** Leaves an empty directory. */
    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            for (Path file : contents(directory).stream()
                    .sorted(Comparator.reverseOrder())
                    .toList()) {
                Files.delete(file);
            }
        }
        Files.createDirectories(directory);
    }

    private static List<Path> contents(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.toList();
        }
    }
}

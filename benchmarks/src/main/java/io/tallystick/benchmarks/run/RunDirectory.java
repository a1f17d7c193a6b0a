package io.tallystick.benchmarks.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * A new directory for the stores of one run, named after the process, in a directory that may hold others. The next
 * run deletes the directory that a killed run left behind.
 */
public final class RunDirectory {
    private static final String PREFIX = "tallystick-bench-";

    private final Path path;
    private int stores;

    private RunDirectory(Path path) {
        this.path = path;
    }

    /**
     * Makes the directory.
     *
     * @throws IOException the parent cannot be made or written
     */
    public static RunDirectory create(Path parent) throws IOException {
        Files.createDirectories(parent);
        Path real = parent.toRealPath();
        deleteAbandoned(real);
        Path path = real.resolve(PREFIX + ProcessHandle.current().pid());
        deleteTree(path);
        return new RunDirectory(Files.createDirectory(path));
    }

    public Path path() {
        return path;
    }

    /** An empty directory for one store, with a name that is not used again. */
    public Path newStore(String name) throws IOException {
        stores++;
        return Files.createDirectory(path.resolve(stores + "-" + name));
    }

    public void delete() throws IOException {
        deleteTree(path);
    }

    /** Deletes a directory with everything in it. */
    public static void deleteTree(Path root) throws IOException {
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                    Files.deleteIfExists(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException gone) {
            // another process deleted it, or it was never made
        }
    }

    private static void deleteAbandoned(Path parent) throws IOException {
        List<Path> runs;
        try (Stream<Path> paths = Files.list(parent)) {
            runs = paths.filter(RunDirectory::isAbandoned).toList();
        }
        for (Path run : runs) {
            deleteTree(run);
        }
    }

    private static boolean isAbandoned(Path path) {
        String name = path.getFileName().toString();
        if (!name.matches(PREFIX + "\\d{1,18}")) {
            return false;
        }
        long owner = Long.parseLong(name.substring(PREFIX.length()));
        return ProcessHandle.of(owner).isEmpty();
    }
}

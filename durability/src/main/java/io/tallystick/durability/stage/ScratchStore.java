package io.tallystick.durability.stage;

import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.system.Directories;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a store that are damaged: on a simulated disk if the subject allows it, else in a directory. */
abstract class ScratchStore {
    /** The store of that subject. */
    static ScratchStore of(Subject subject, Path scratch) {
        return subject.is(Trait.ANY_DISK) ? new InMemory(subject) : new InDirectory(subject, scratch.resolve("store"));
    }

    /** Opens the store on the current files. */
    abstract ObjectStore open();

    /** All regular files, by their path below the store's directory. */
    abstract Map<String, byte[]> files() throws IOException;

    /** Replaces all files. */
    abstract void replace(Map<String, byte[]> files) throws IOException;

    private static final class InMemory extends ScratchStore {
        private static final Path DIRECTORY = Path.of("/simulated/store");

        private final Subject subject;
        private SimulatedDisk disk = new SimulatedDisk();

        InMemory(Subject subject) {
            this.subject = subject;
        }

        @Override
        ObjectStore open() {
            return subject.open(disk, DIRECTORY);
        }

        @Override
        Map<String, byte[]> files() throws IOException {
            Map<String, byte[]> files = new TreeMap<>();
            collect(DIRECTORY, files);
            return files;
        }

        private void collect(Path directory, Map<String, byte[]> files) throws IOException {
            for (Path path : disk.list(directory)) {
                if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                    collect(path, files);
                } else {
                    files.put(DIRECTORY.relativize(path).toString(), disk.contents(path));
                }
            }
        }

        @Override
        void replace(Map<String, byte[]> files) throws IOException {
            disk = new SimulatedDisk();
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                Path path = DIRECTORY.resolve(file.getKey());
                createDirectories(path.getParent());
                try (DiskFile open = disk.open(path, OpenMode.CREATE_NEW)) {
                    open.writeFully(ByteBuffer.wrap(file.getValue()), 0);
                    open.force();
                }
                disk.forceDirectory(path.getParent());
            }
        }

        private void createDirectories(Path directory) throws IOException {
            if (directory.getParent() != null && disk.kindOf(directory) == Disk.PathKind.MISSING) {
                createDirectories(directory.getParent());
                disk.createDirectory(directory);
                disk.forceDirectory(directory.getParent());
            }
        }
    }

    private static final class InDirectory extends ScratchStore {
        private final Subject subject;
        private final Path directory;

        InDirectory(Subject subject, Path directory) {
            this.subject = subject;
            this.directory = directory;
        }

        @Override
        ObjectStore open() {
            return subject.open(directory);
        }

        @Override
        Map<String, byte[]> files() throws IOException {
            Map<String, byte[]> files = new TreeMap<>();
            try (Stream<Path> paths = Files.walk(directory)) {
                paths.filter(Files::isRegularFile).forEach(path -> {
                    try {
                        files.put(directory.relativize(path).toString(), Files.readAllBytes(path));
                    } catch (IOException unreadable) {
                        throw new UncheckedIOException(unreadable);
                    }
                });
            }
            return files;
        }

        @Override
        void replace(Map<String, byte[]> files) throws IOException {
            Directories.delete(directory);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                Path path = directory.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.write(path, file.getValue());
            }
        }
    }
}

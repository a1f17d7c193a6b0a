package io.tallystick.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While nothing crashes, the simulated disk answers as that of the operating system. */
class SimulatedDiskLikenessTest {
    private static final List<String> PATHS = List.of("a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "a/x", "none/x");

    @TempDir
    private Path real;

    /** An operation, and what it answers as text. */
    @FunctionalInterface
    private interface Operation {
        String perform(Disk disk, Path root) throws IOException;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomOperationsAnswerAlike(long seed) throws IOException {
        Random random = new Random(seed);
        SimulatedDisk simulated = new SimulatedDisk();
        Path root = Path.of("/root");
        simulated.createDirectory(root);
        SystemDisk system = new SystemDisk();
        List<String> history = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            String path = PATHS.get(random.nextInt(PATHS.size()));
            String other = PATHS.get(random.nextInt(PATHS.size()));
            int kind = random.nextInt(10);
            int position = random.nextInt(6_000);
            int length = random.nextInt(6_000);
            Operation operation = (disk, at) -> perform(disk, at, kind, path, other, position, length);
            String expected = answer(operation, system, real);
            history.add(kind + " " + path + " " + other + " -> " + expected);

            assertThat(answer(operation, simulated, root))
                    .as("seed=%d history=%s", seed, history)
                    .isEqualTo(expected);
        }
    }

    private static String perform(Disk disk, Path root, int kind, String path, String other, int position, int length)
            throws IOException {
        Path file = root.resolve(path);
        switch (kind) {
            case 0 -> disk.createDirectory(file);
            case 1 -> disk.open(file, OpenMode.CREATE_NEW).close();
            case 2 -> rename(disk, file, root.resolve(other));
            case 3 -> disk.delete(file);
            case 4 -> {
                try (DiskFile open = disk.open(file, OpenMode.READ_WRITE)) {
                    byte[] bytes = new byte[length];
                    Arrays.fill(bytes, (byte) position);
                    return "wrote " + open.write(ByteBuffer.wrap(bytes), position) + " size " + open.size();
                }
            }
            case 5 -> {
                try (DiskFile open = disk.open(file, OpenMode.READ)) {
                    ByteBuffer read = ByteBuffer.allocate(length);
                    return "read " + open.read(read, position) + " hash " + Arrays.hashCode(read.array());
                }
            }
            case 6 -> {
                try (DiskFile open = disk.open(file, OpenMode.READ_WRITE)) {
                    open.truncate(position);
                    return "size " + open.size();
                }
            }
            case 7 -> {
                return disk.list(file).stream()
                        .map(found -> found.getFileName().toString())
                        .sorted()
                        .toList()
                        .toString();
            }
            case 8 -> renameToNew(disk, file, root.resolve(other));
            default -> {
                Disk.PathKind found = disk.kindOf(file);
                return found + (found == Disk.PathKind.FILE ? " size " + disk.size(file) : "");
            }
        }
        return "done";
    }

    /** Where several things stand in the way of a rename, which one is told does not matter. */
    private static void rename(Disk disk, Path source, Path target) throws IOException {
        try {
            disk.rename(source, target);
        } catch (FileSystemException refused) {
            throw new IOException(refused);
        }
    }

    private static void renameToNew(Disk disk, Path source, Path target) throws IOException {
        try {
            disk.renameToNew(source, target);
        } catch (FileSystemException refused) {
            throw new IOException(refused);
        }
    }

    /** The answer, or the kind of the exception as far as a caller may rely on it. */
    private static String answer(Operation operation, Disk disk, Path root) {
        try {
            return operation.perform(disk, root);
        } catch (NoSuchFileException missing) {
            return "missing";
        } catch (FileAlreadyExistsException exists) {
            return "exists";
        } catch (IOException refused) {
            return "refused";
        }
    }
}

package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where memory runs out in the middle of an operation, the disk leaves no file open and no lock behind. */
@Timeout(120)
class DiskErrorsTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir
    Path root;

    private final SystemDisk sound = new SystemDisk(Duration.ofMillis(50));

    private interface Operation {
        void run(SystemDisk disk, Path path) throws IOException;
    }

    @BeforeEach
    void needsToSeeOpenFiles() {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "skipped: no /proc/self/fd to count open files in");
    }

    @Test
    void anErrorWhileAFileIsOpenedLeavesNoFileOpen() throws IOException {
        for (OpenMode mode : new OpenMode[] {OpenMode.CREATE_NEW, OpenMode.READ, OpenMode.READ_WRITE}) {
            sweep(mode != OpenMode.CREATE_NEW, (disk, path) -> disk.open(path, mode)
                    .close());
        }
    }

    @Test
    void anErrorWhileALockIsTakenLeavesNoFileOpenAndNoLock() throws IOException {
        sweep(false, (disk, path) -> disk.tryLock(path).orElseThrow().close());
        sweep(true, (disk, path) -> disk.tryLock(path).orElseThrow().close());
    }

    @Test
    void anErrorWhileALockIsLookedAtLeavesNoFileOpenAndNoLock() throws IOException {
        sweep(true, (disk, path) -> disk.isLocked(path));
    }

    @Test
    void anErrorWhileADirectoryIsForcedOrListedLeavesNothingOpen() throws IOException {
        sweep(true, (disk, path) -> disk.forceDirectory(path.getParent()));
        sweep(true, (disk, path) -> disk.list(path.getParent()));
    }

    /** An Error at each call of the operation, one after the other. */
    private void sweep(boolean isThere, Operation operation) throws IOException {
        for (int index = 0; ; index++) {
            Path file = Files.createTempDirectory(root.toRealPath(), "files").resolve("file");
            if (isThere) {
                Files.writeString(file, "");
            }
            FailingFileSystem failing = new FailingFileSystem();
            SystemDisk disk = new SystemDisk(Duration.ofMillis(50));
            Path path = failing.path(file);
            failing.failAfter(index);
            try {
                operation.run(disk, path);
            } catch (OutOfMemoryError planted) {
                assertThat(planted).hasMessage("planted");
            }
            boolean hasFailed = failing.hasFailed();
            failing.failAfter(Integer.MAX_VALUE);

            assertThat(openFiles()).as("open after an Error at call %d", index).isZero();
            Optional<DiskLock> lock = sound.tryLock(file);
            assertThat(lock).as("lock after an Error at call %d", index).isPresent();
            lock.get().close();
            if (!hasFailed) {
                assertThat(index).as("calls").isGreaterThan(2);
                return;
            }
        }
    }

    private long openFiles() throws IOException {
        Path real = root.toRealPath();
        try (Stream<Path> links = Files.list(DESCRIPTORS)) {
            return links.filter(link -> {
                        try {
                            return Files.readSymbolicLink(link).startsWith(real);
                        } catch (IOException closedMeanwhile) {
                            return false;
                        }
                    })
                    .count();
        }
    }
}

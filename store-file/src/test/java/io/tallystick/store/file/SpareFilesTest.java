package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpareFilesTest {
    private static final Path DIRECTORY = Path.of("/type");

    private final OpenFileWatch disk = new OpenFileWatch(new SimulatedDisk());
    private final AtomicLong numbers = new AtomicLong();
    private final OpenFiles openFiles = new OpenFiles();
    private final SpareFiles spares = new SpareFiles(DIRECTORY, numbers, openFiles);

    @BeforeEach
    void createDirectory() throws IOException {
        disk.disk().createDirectory(DIRECTORY);
    }

    @Test
    void noTwoSpareFilesOfAStoreHaveOneName() {
        SpareFiles others = new SpareFiles(DIRECTORY, numbers, openFiles);

        assertThat(spares.newPath()).isNotEqualTo(spares.newPath()).isNotEqualTo(others.newPath());
        assertThat(FileNames.isSpare(spares.newPath().getFileName().toString())).isTrue();
    }

    @Test
    void theFileThatWasOfferedLastIsUsedFirst() throws IOException {
        assertThat(spares.poll()).isNull();
        Path first = offered();
        Path second = offered();

        assertThat(spares.poll().path()).isEqualTo(second);
        assertThat(spares.poll().path()).isEqualTo(first);
        assertThat(spares.poll()).isNull();
    }

    @Test
    void aDirectoryKeepsSoManyFilesAndNoMore() {
        for (int i = 0; i < SpareFiles.MAX_KEPT; i++) {
            assertThat(spares.reserve()).isTrue();
        }
        assertThat(spares.reserve()).isFalse();
        assertThat(spares.reserve()).isFalse();

        spares.giveUp();

        assertThat(spares.reserve()).isTrue();
        assertThat(spares.reserve()).isFalse();
    }

    @Test
    void aFileThatIsTakenMakesRoomForAnother() {
        for (int i = 0; i < SpareFiles.MAX_KEPT; i++) {
            spares.reserve();
        }
        spares.offer(spares.newPath(), null);

        spares.poll();

        assertThat(spares.reserve()).isTrue();
        assertThat(spares.reserve()).isFalse();
    }

    @Test
    void soManyStayOpenAndTheOthersAreClosed() throws IOException {
        for (int i = 0; i <= OpenFiles.MAX_SPARES; i++) {
            offered();
        }

        assertThat(disk.open()).hasSize(OpenFiles.MAX_SPARES);
        assertThat(spares.poll().openOrNull()).isNull();
        assertThat(spares.poll().openOrNull()).isNotNull();
    }

    @Test
    void droppedFilesAreClosedAndDeleted() throws IOException {
        offered();
        offered();

        spares.dropAll(disk.disk());

        assertThat(disk.open()).isEmpty();
        assertThat(disk.disk().list(DIRECTORY)).isEmpty();
        assertThat(spares.poll()).isNull();
    }

    @Test
    void closedFilesStayWhereTheyAre() throws IOException {
        Path path = offered();

        spares.closeAll();

        assertThat(disk.open()).isEmpty();
        assertThat(disk.disk().list(DIRECTORY)).containsExactly(path);
    }

    private Path offered() throws IOException {
        Path path = spares.newPath();
        DiskFile file = disk.disk().open(path, OpenMode.CREATE_NEW);
        assertThat(spares.reserve()).isTrue();
        spares.offer(path, file);
        return path;
    }
}

package io.tallystick.store.journal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.OpenMode;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrialFileTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FILE = DIRECTORY.resolve("trial");
    private static final int BLOCK_BYTES = 4096;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final LogIo channel = new LogIo(LogIo.CHANNEL, disk, OpenMode.READ_WRITE, 1, LogIo.Trial.NONE);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY.getParent());
        disk.createDirectory(DIRECTORY);
    }

    @Test
    void afterTheLastBlockComesTheFirstSoThatTheFileNeverGrows() throws IOException {
        int bytes = 2 * BLOCK_BYTES + 1;
        disk.setCapacity(bytes);

        try (TrialFile file = new TrialFile(channel, FILE, bytes)) {
            for (int write = 0; write < 5; write++) {
                file.write();
                file.force();
            }
        }

        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void writeOfADirectWayIsOneOperationAndOfAnotherWayTwo() throws IOException {
        LogIo direct = new LogIo(LogIo.DIRECT, disk, OpenMode.DIRECT_SYNC, 512, LogIo.Trial.NONE);

        assertThat(operationsOf(channel)).isEqualTo(2);
        assertThat(operationsOf(direct)).isEqualTo(1);
    }

    @Test
    void fileWithoutANameIsStillWritten() throws IOException {
        try (TrialFile file = new TrialFile(channel, FILE, BLOCK_BYTES)) {
            file.deleteName();
            assertThat(disk.list(DIRECTORY)).isEmpty();
            file.write();
            file.force();
        }
    }

    @Test
    void fileThatCannotBePreparedIsDeleted() {
        FaultInjectingDisk failing = new FaultInjectingDisk(disk);
        failing.inject(DiskFault.in(DiskOperation.FORCE).forEver().failingWith("no force"));
        LogIo io = new LogIo(LogIo.CHANNEL, failing, OpenMode.READ_WRITE, 1, LogIo.Trial.NONE);

        assertThatThrownBy(() -> new TrialFile(io, FILE, BLOCK_BYTES)).hasMessageContaining("no force");
        assertThat(disk).satisfies(after -> assertThat(after.list(DIRECTORY)).isEmpty());
    }

    private long operationsOf(LogIo io) throws IOException {
        try (TrialFile file = new TrialFile(io, FILE, 2 * BLOCK_BYTES)) {
            long before = disk.operations();
            file.write();
            file.force();
            return disk.operations() - before;
        }
    }
}

package io.tallystick.durability.surroundings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BoundedDiskTest {
    private static final Path DIRECTORY = Path.of("/bounded");
    private static final Path FILE = DIRECTORY.resolve("file");

    private final BoundedDisk disk = new BoundedDisk(new SimulatedDisk(), 1_000, BoundedDisk.Halts.NOWHERE);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
    }

    @Test
    void growthBeyondTheRoomIsRefusedAndTakesNothing() throws IOException {
        try (DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
            file.write(ByteBuffer.allocate(600), 0);
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(600), 600))
                    .asInstanceOf(InstanceOfAssertFactories.type(IOException.class))
                    .matches(Shortage::isShortageOfRoom);
            file.write(ByteBuffer.allocate(400), 600);
            assertThat(file.size()).isEqualTo(1_000);
        }
    }

    @Test
    void aFullDiskTakesWritesInPlace() throws IOException {
        try (DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
            file.write(ByteBuffer.allocate(1_000), 0);
            file.write(ByteBuffer.allocate(1_000), 0);
            assertThat(disk.usableSpace(FILE)).isZero();
        }
    }

    @Test
    void deletedFilesGiveTheirRoomBack() throws IOException {
        try (DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
            file.write(ByteBuffer.allocate(1_000), 0);
        }
        disk.delete(FILE);

        try (DiskFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
            file.write(ByteBuffer.allocate(1_000), 0);
        }
    }
}

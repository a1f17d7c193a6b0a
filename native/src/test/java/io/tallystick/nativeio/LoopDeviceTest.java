package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.nativeio.LoopDevice.FileSystem;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.Shortage;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each way to write, on a disk that counts its flushes, fills up, and dies. */
@Timeout(90)
class LoopDeviceTest {
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 64;

    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    private LoopDevice device;
    private Path file;

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (device != null) {
            device.remove();
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndFileSystems")
    void everyWriteHasFlushedTheDiskWhenItReturns(Way way, FileSystem fileSystem)
            throws IOException, InterruptedException {
        mount(fileSystem);
        try (DiskFile direct = way.disk(device.mountPoint()).open(file, OpenMode.DIRECT_SYNC)) {
            ByteBuffer source = Buffers.aligned(BLOCK, BLOCK);
            for (int i = 0; i < BLOCKS; i++) {
                long before = device.flushes();
                direct.writeFully(source.clear(), (long) i * BLOCK);
                assertThat(device.flushes()).as("write %d", i).isGreaterThan(before);
            }
        }
    }

    /** Were the count to grow by itself, the test above would prove nothing. */
    @Test
    void aWriteThatForcesNothingFlushesNothing() throws IOException, InterruptedException {
        mount(FileSystem.EXT4);
        try (DiskFile ordinary = new SystemDisk().open(file, OpenMode.READ_WRITE)) {
            long before = device.flushes();
            ordinary.writeFully(Buffers.aligned(BLOCKS * BLOCK, BLOCK), 0);
            assertThat(device.flushes()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("waysAndFileSystems")
    void aDeadDiskFailsTheWrite(Way way, FileSystem fileSystem) throws IOException, InterruptedException {
        mount(fileSystem);
        Disk disk = way.disk(device.mountPoint());
        try (DiskFile direct = disk.open(file, OpenMode.DIRECT_SYNC)) {
            direct.writeFully(Buffers.aligned(BLOCK, BLOCK), 0);
            device.cutOff();
            assertThatThrownBy(() -> direct.writeFully(Buffers.aligned(BLOCK, BLOCK), BLOCK))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Input/output error");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFullFileSystemFailsTheWriteThatNeedsRoom(Way way) throws IOException, InterruptedException {
        mount(FileSystem.EXT4);
        Path sparse = device.mountPoint().resolve("sparse");
        try (RandomAccessFile created = new RandomAccessFile(sparse.toFile(), "rw")) {
            created.setLength(64L << 20);
        }
        int chunk = 1 << 20;
        ByteBuffer ones = Buffers.aligned(chunk, BLOCK);
        for (int at = 0; at < chunk; at++) {
            ones.put(at, (byte) 1);
        }
        int[] written = {0};
        try (DiskFile direct = way.disk(device.mountPoint()).open(sparse, OpenMode.DIRECT_SYNC)) {
            Throwable failure = catchThrowable(() -> {
                while (true) {
                    direct.writeFully(ones.clear(), (long) written[0] * chunk);
                    written[0]++;
                }
            });
            assertThat(failure).isInstanceOf(IOException.class).hasMessageContaining("No space left on device");
            assertThat(Shortage.isShortageOfRoom((IOException) failure)).isTrue();
        }
        assertThat(written[0]).isBetween(10, 32);
        try (RandomAccessFile reader = new RandomAccessFile(sparse.toFile(), "r")) {
            byte[] expected = Buffers.bytesOf(ones.clear());
            byte[] actual = new byte[chunk];
            for (int i = 0; i < written[0]; i++) {
                reader.readFully(actual);
                assertThat(Arrays.equals(actual, expected)).as("chunk %d", i).isTrue();
            }
        }
        Files.delete(sparse);
    }

    @ParameterizedTest
    @EnumSource
    void aFullFileSystemIsNoReasonNotToUseAWay(Way way) throws IOException, InterruptedException {
        mount(FileSystem.EXT4);
        way.disk(device.mountPoint());
        try (DiskFile filling = new SystemDisk().open(device.mountPoint().resolve("full"), OpenMode.CREATE_NEW)) {
            assertThat(catchThrowable(() -> {
                        for (long at = 0; ; at += BLOCK) {
                            filling.writeFully(ByteBuffer.allocate(BLOCK), at);
                        }
                    }))
                    .hasMessageContaining("No space left on device");
            assertThat(catchThrowable(() -> way.disk(device.mountPoint()))).isNull();
            assertThat(device.mountPoint()).isDirectoryNotContaining("glob:**" + DiskDevice.PROBE_PREFIX + "*");
        }
    }

    private void mount(FileSystem fileSystem) throws IOException, InterruptedException {
        device = LoopDevice.mountUnder(directory, fileSystem);
        file = device.mountPoint().resolve("data");
        try (DiskFile created = new SystemDisk().open(file, OpenMode.CREATE_NEW)) {
            created.writeFully(ByteBuffer.allocateDirect(BLOCKS * BLOCK), 0);
            created.force();
        }
    }

    private static Stream<Arguments> waysAndFileSystems() {
        return Arrays.stream(Way.values())
                .flatMap(way -> Arrays.stream(FileSystem.values()).map(fileSystem -> Arguments.of(way, fileSystem)));
    }

    /** The ways to write that this machine may have. */
    enum Way {
        /** What pure Java offers. */
        SYSTEM_DIRECT {
            @Override
            Disk disk(Path directory) {
                return new SystemDisk();
            }
        },
        /** AIO through the native library. */
        LIBAIO {
            @Override
            Disk disk(Path directory) {
                return Requirements.libaio(directory);
            }
        },
        /** AIO by system calls. */
        FOREIGN_AIO {
            @Override
            Disk disk(Path directory) {
                return Requirements.foreignAio(directory);
            }
        },
        /** io_uring. */
        URING {
            @Override
            Disk disk(Path directory) {
                return Requirements.uring(directory);
            }
        };

        /** Skips the test, with the reason, where it is not available. */
        abstract Disk disk(Path directory);
    }
}

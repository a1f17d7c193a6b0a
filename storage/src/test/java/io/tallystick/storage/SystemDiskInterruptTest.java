package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemDiskInterruptTest {
    @TempDir
    Path directory;

    private final Disk disk = new SystemDisk();

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void interruptedThreadReadsWritesAndForcesAndKeepsItsFlag() throws Exception {
        try (DiskFile file = disk.open(directory.resolve("file"), OpenMode.CREATE_NEW)) {
            Thread.currentThread().interrupt();

            file.writeFully(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            file.force();
            disk.forceDirectory(directory);
            ByteBuffer read = ByteBuffer.allocate(3);
            file.readFully(read, 0);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(read.array()).containsExactly(1, 2, 3);
        }
    }

    @Test
    void interruptWhileWritingLeavesTheFileOpenForEverybody() throws Exception {
        try (DiskFile file = disk.open(directory.resolve("file"), OpenMode.CREATE_NEW)) {
            CountDownLatch begun = new CountDownLatch(1);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < 300; i++) {
                        file.writeFully(ByteBuffer.allocate(4096), 0);
                        file.force();
                        begun.countDown();
                    }
                } catch (Throwable thrown) {
                    failure.set(thrown);
                    begun.countDown();
                }
            });
            writer.start();
            begun.await();
            while (writer.isAlive()) {
                writer.interrupt();
                writer.join(1);
            }

            assertThat(failure.get()).isNull();
            file.writeFully(ByteBuffer.allocate(1), 0);
        }
    }
}

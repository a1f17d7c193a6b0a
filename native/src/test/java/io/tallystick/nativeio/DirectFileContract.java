package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What every file in mode {@link OpenMode#DIRECT_SYNC} keeps, whatever device it is on. */
@Timeout(60)
abstract class DirectFileContract {
    private static final int FILE_BLOCKS = 64;

    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    private final long seed = System.nanoTime();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Disk disk;
    private int block;
    private Path path;

    /** The disk to try in this directory; skips the test, with the reason, where there is none. */
    abstract Disk diskFor(Path directory) throws IOException;

    @BeforeEach
    void prepareFile() throws IOException {
        disk = diskFor(directory);
        block = disk.directAlignment(directory);
        path = zeroFile("data");
    }

    @AfterEach
    void endThreads() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatIsWrittenAtRandomAlignedPositionsIsReadBack() throws IOException {
        Random random = new Random(seed);
        byte[] expected = new byte[FILE_BLOCKS * block];
        try (DiskFile file = open()) {
            for (int i = 0; i < 200; i++) {
                int length = (1 + random.nextInt(8)) * block;
                int position = random.nextInt(FILE_BLOCKS - 8) * block;
                ByteBuffer source = Buffers.random(random, length, block);
                source.get(0, expected, position, length);
                file.writeFully(source, position);
            }
            assertThat(readThrough(file)).as("seed=%d", seed).isEqualTo(expected);
            assertThat(file.size()).isEqualTo(expected.length);
        }
        assertThat(Files.readAllBytes(path)).as("seed=%d", seed).isEqualTo(expected);
    }

    @Test
    void aWriteTakesWhatRemainsInTheBufferAndMovesItsPosition() throws IOException {
        ByteBuffer source = Buffers.random(new Random(seed), 5 * block, block);
        source.position(block).limit(3 * block);
        byte[] expected = Buffers.bytesOf(source);
        try (DiskFile file = open()) {
            assertThat(file.write(source, 7L * block)).isEqualTo(2 * block);
        }
        assertThat(source.position()).isEqualTo(3 * block);
        assertThat(source.limit()).isEqualTo(3 * block);
        byte[] actual = Files.readAllBytes(path);
        assertThat(Arrays.copyOfRange(actual, 7 * block, 9 * block)).isEqualTo(expected);
        assertThat(Arrays.copyOfRange(actual, 6 * block, 7 * block)).containsOnly(0);
        assertThat(Arrays.copyOfRange(actual, 9 * block, 10 * block)).containsOnly(0);
    }

    @Test
    void anEmptyBufferWritesNothing() throws IOException {
        try (DiskFile file = open()) {
            assertThat(file.write(Buffers.aligned(0, block), 0)).isZero();
        }
        assertThat(Files.readAllBytes(path)).containsOnly(0);
    }

    @Test
    void manyThreadsWriteOneFileAtOnce() throws Exception {
        int writers = 8;
        int blocksEach = FILE_BLOCKS / writers;
        byte[] expected = new byte[FILE_BLOCKS * block];
        try (DiskFile file = open()) {
            inParallel(writers, writer -> {
                Random random = new Random(seed + writer);
                for (int i = 0; i < 100; i++) {
                    int position = (writer * blocksEach + random.nextInt(blocksEach)) * block;
                    ByteBuffer source = Buffers.random(random, block, block);
                    source.get(0, expected, position, block);
                    file.writeFully(source, position);
                }
            });
        }
        assertThat(Files.readAllBytes(path)).as("seed=%d", seed).isEqualTo(expected);
    }

    @Test
    void manyFilesAreWrittenAtOnce() throws Exception {
        int files = 4;
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            paths.add(zeroFile("file-" + i));
        }
        inParallel(files, i -> {
            ByteBuffer source = Buffers.aligned(block, block);
            for (int round = 0; round < 8; round++) {
                try (DiskFile file = disk.open(paths.get(i), OpenMode.DIRECT_SYNC)) {
                    file.writeFully(filled(source, i + 1), (long) round * block);
                }
            }
        });
        for (int i = 0; i < files; i++) {
            byte[] written = Arrays.copyOf(Files.readAllBytes(paths.get(i)), 8 * block);
            assertThat(written).containsOnly(i + 1);
        }
    }

    @Test
    void aMisalignedPositionIsRefused() throws IOException {
        try (DiskFile file = open()) {
            assertRefused(() -> file.write(Buffers.aligned(block, block), 100));
        }
        assertThat(Files.readAllBytes(path)).containsOnly(0);
    }

    @Test
    void aMisalignedLengthIsRefused() throws IOException {
        try (DiskFile file = open()) {
            assertRefused(
                    () -> file.write(filled(Buffers.aligned(block, block), 1).limit(100), 0));
        }
        assertThat(Files.readAllBytes(path)).containsOnly(0);
    }

    @Test
    void aMisalignedAddressIsRefused() throws IOException {
        ByteBuffer source =
                filled(Buffers.aligned(2 * block, block), 1).position(1).limit(block + 1);
        try (DiskFile file = open()) {
            assertRefused(() -> file.write(source, 0));
        }
        assertThat(Files.readAllBytes(path)).containsOnly(0);
    }

    @Test
    void aFileMayHaveAnyName() throws IOException {
        Path odd = zeroFile("a name%41 with+more?than#letters" + umlautIfTheSystemHasIt());
        try (DiskFile file = disk.open(odd, OpenMode.DIRECT_SYNC)) {
            file.writeFully(filled(Buffers.aligned(block, block), 9), 0);
        }
        assertThat(Arrays.copyOf(Files.readAllBytes(odd), block)).containsOnly(9);
    }

    @Test
    void aMissingFileIsNotCreated() {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> disk.open(missing, OpenMode.DIRECT_SYNC))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("missing");
        assertThat(missing).doesNotExist();
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), path.getFileName());
        assertThatThrownBy(() -> disk.open(link, OpenMode.DIRECT_SYNC)).isInstanceOf(IOException.class);
    }

    @Test
    void aClosedFileRefusesWritesAndMayBeClosedAgain() throws IOException {
        DiskFile file = open();
        file.write(Buffers.aligned(block, block), 0);
        file.close();
        file.close();
        assertThatThrownBy(() -> file.write(Buffers.aligned(block, block), 0)).isInstanceOf(IOException.class);
    }

    @Test
    void openingAndClosingLeavesNoDescriptorBehind() throws IOException {
        open().close();
        long before = openDescriptors();
        for (int i = 0; i < 10; i++) {
            try (DiskFile file = open()) {
                file.write(Buffers.aligned(block, block), 0);
            }
        }
        assertThat(openDescriptors()).isLessThanOrEqualTo(before);
    }

    /** Once a descriptor is closed its number belongs to the next file opened, and a late write would go there. */
    @Test
    void closingDuringWritesNeitherHangsNorHitsTheNextFile() throws Exception {
        Path innocent = zeroFile("innocent");
        for (int round = 0; round < 5; round++) {
            DiskFile file = open();
            AtomicInteger written = new AtomicInteger();
            CountDownLatch everybodyWrites = new CountDownLatch(3);
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < 3; writer++) {
                int position = writer * block;
                writers.add(threads.submit(() -> {
                    ByteBuffer source = Buffers.aligned(block, block);
                    for (int i = 0; ; i++) {
                        assertThat(file.write(filled(source, 7), position)).isEqualTo(block);
                        written.incrementAndGet();
                        if (i == 2) {
                            everybodyWrites.countDown();
                        }
                    }
                }));
            }
            boolean everybodyWrote = everybodyWrites.await(30, TimeUnit.SECONDS);
            file.close();
            assertThat(everybodyWrote).as(() -> "writers: " + writers).isTrue();
            try (DiskFile next = disk.open(innocent, OpenMode.DIRECT_SYNC)) {
                for (Future<?> writer : writers) {
                    assertThatThrownBy(() -> writer.get(30, TimeUnit.SECONDS))
                            .isInstanceOf(ExecutionException.class)
                            .hasCauseInstanceOf(IOException.class);
                }
                assertThat(next.size()).isEqualTo(FILE_BLOCKS * block);
            }
            assertThat(Files.readAllBytes(innocent)).containsOnly(0);
            assertThat(written.get()).isGreaterThanOrEqualTo(9);
        }
    }

    @Test
    void anInterruptBreaksNeitherOpeningNorWriting() throws IOException {
        Thread.currentThread().interrupt();
        try (DiskFile file = open()) {
            for (int i = 0; i < 10; i++) {
                file.writeFully(filled(Buffers.aligned(block, block), 5), (long) i * block);
            }
        }
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Arrays.copyOf(Files.readAllBytes(path), 10 * block)).containsOnly(5);
    }

    @Test
    void otherModesAreThoseOfTheDiskBelow() throws IOException {
        Path fresh = directory.resolve("fresh");
        try (DiskFile file = disk.open(fresh, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            file.force();
        }
        try (DiskFile file = disk.open(fresh, OpenMode.READ_WRITE)) {
            file.truncate(2);
        }
        assertThat(Files.readAllBytes(fresh)).containsExactly(1, 2);
    }

    @Test
    void sizeForceAndTruncateWorkBesideWrites() throws IOException {
        try (DiskFile file = open()) {
            file.writeFully(filled(Buffers.aligned(block, block), 3), 0);
            file.truncate(block);
            file.force();
            assertThat(file.size()).isEqualTo(block);
            assertThat(readThrough(file)).hasSize(block).containsOnly(3);
        }
    }

    final DiskFile open() throws IOException {
        return disk.open(path, OpenMode.DIRECT_SYNC);
    }

    private Path zeroFile(String name) throws IOException {
        Path file = directory.resolve(name);
        try (DiskFile created = disk.open(file, OpenMode.CREATE_NEW)) {
            created.writeFully(ByteBuffer.allocateDirect(FILE_BLOCKS * block), 0);
            created.force();
        }
        return file;
    }

    private byte[] readThrough(DiskFile file) throws IOException {
        ByteBuffer target = Buffers.aligned(Math.toIntExact(file.size()), block);
        file.readFully(target, 0);
        return Buffers.bytesOf(target.flip());
    }

    private String umlautIfTheSystemHasIt() {
        try {
            return directory.resolve("\u00fc").getFileName().toString();
        } catch (InvalidPathException notHere) {
            return "";
        }
    }

    private static ByteBuffer filled(ByteBuffer buffer, int value) {
        buffer.clear();
        for (int i = 0; i < buffer.limit(); i++) {
            buffer.put(i, (byte) value);
        }
        return buffer;
    }

    private static void assertRefused(Callable<Integer> write) {
        Throwable refusal = catchThrowable(write::call);
        assertThat(refusal).isInstanceOfAny(IllegalArgumentException.class, IOException.class);
        assertThat(refusal.getMessage()).isNotBlank();
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    private void inParallel(int count, Work work) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            all.add(threads.submit(() -> {
                work.run(index);
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(30, TimeUnit.SECONDS);
        }
    }

    private interface Work {
        void run(int index) throws Exception;
    }
}

package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.spi.UninterruptedWait;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reading ahead hides no failure and no batch, and is over when it is closed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadAheadTest {
    private static final int BLOCK = 4096;
    private static final int LONG = 2 * ReadAhead.CHUNK_BYTES + BLOCK;
    private static final long SALT = 0x5a17;

    @TempDir
    private Path directory;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final FaultInjectingDisk system = new FaultInjectingDisk(new SystemDisk());
    private final List<Segment> segments = new ArrayList<>();

    @AfterEach
    void closeSegments() throws IOException {
        for (Segment segment : segments) {
            segment.close();
        }
    }

    @Test
    void aScanBeginsAtTheFirstBatch() throws IOException {
        addSegments(5, LONG);
        putHeader(0, 7 * BLOCK, SALT);
        putHeader(2, LONG - BLOCK, SALT);
        putHeader(3, BLOCK, SALT + 1); // of an earlier life of the file
        putHeader(3, 2 * BLOCK, SALT);
        putHeader(3, 4 * BLOCK, SALT);
        putHeader(4, ReadAhead.CHUNK_BYTES, SALT);

        assertThat(starts()).containsExactly((long) BLOCK, (long) LONG, (long) LONG - BLOCK, 2L * BLOCK, 1L << 20);
    }

    @Test
    void aSegmentHeaderThatLooksLikeABatchIsNone() throws IOException {
        addSegments(2, LONG);
        putHeader(1, 0, SALT);

        assertThat(starts()).containsExactly((long) BLOCK, (long) LONG);
    }

    @Test
    void shortSegmentsAmongLongOnesAreLookedAtToo() throws IOException {
        addSegments(2, LONG);
        addSegments(2, 8 * BLOCK);
        putHeader(2, 7 * BLOCK, SALT);
        addSegments(1, LONG);

        assertThat(starts()).containsExactly((long) BLOCK, (long) LONG, 7L * BLOCK, 8L * BLOCK, (long) LONG);
    }

    @Test
    void shortSegmentsAreReadByTheCaller() throws IOException {
        addSegments(3, 8 * BLOCK);
        putHeader(1, 3 * BLOCK, SALT);
        Set<Thread> readers = ConcurrentHashMap.newKeySet();
        disk.inject(DiskFault.in(DiskOperation.READ)
                .preceding(() -> readers.add(Thread.currentThread()))
                .forEver());

        assertThat(starts()).containsExactly((long) BLOCK, 3L * BLOCK, 8L * BLOCK);
        assertThat(readers).containsExactly(Thread.currentThread());
    }

    /** A segment with a forged header: its second block is the first that may begin a batch. */
    @Test
    void aSegmentWithBlocksLongerThanAReadIsScannedFromItsSecondBlock() throws IOException {
        int block = 2 * ReadAhead.CHUNK_BYTES;
        addSegments(1, LONG);
        addSegments(1, 4 * block, block);
        addSegments(1, block, block);
        putHeader(1, ReadAhead.CHUNK_BYTES, SALT);
        putHeader(2, ReadAhead.CHUNK_BYTES, SALT);

        assertThat(starts()).containsExactly((long) BLOCK, (long) block, (long) block);
    }

    @Test
    void noSegmentOrOneIsNotReadAhead() throws IOException {
        failReads();
        assertThat(starts()).isEmpty();
        addSegments(1, LONG);
        assertThat(starts()).containsExactly((long) BLOCK);
    }

    /** Eleven segments are more than are read at a time. */
    @Test
    void everyGroupIsLookedAt() throws IOException {
        int segmentBytes = (int) ReadAhead.GROUP_BYTES / 4;
        addSparse(11, segmentBytes);
        putHeader(5, 9 * BLOCK, SALT);
        putHeader(10, 2 * BLOCK, SALT);

        List<Long> expected = new ArrayList<>(Collections.nCopies(11, (long) segmentBytes));
        expected.set(0, (long) BLOCK);
        expected.set(5, 9L * BLOCK);
        expected.set(10, 2L * BLOCK);
        assertThat(starts()).isEqualTo(expected);
    }

    @Test
    void aFailedReadIsTold() throws IOException {
        addSegments(2, LONG);
        failReads();
        try (ReadAhead ahead = new ReadAhead(segments)) {
            ahead.startOf(0);
            assertThatThrownBy(() -> ahead.startOf(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Input/output error");
        }
    }

    @Test
    void aFailedReadOfALaterGroupIsTold() throws IOException {
        addSparse(6, (int) ReadAhead.GROUP_BYTES / 4);
        system.inject(DiskFault.in(DiskOperation.READ)
                .onFiles(segments.get(5).path()::equals)
                .failingWith(DiskFault.EIO)
                .forEver());
        try (ReadAhead ahead = new ReadAhead(segments)) {
            for (int i = 0; i < 5; i++) {
                ahead.startOf(i);
            }
            assertThatThrownBy(() -> ahead.startOf(5)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void closingWaitsForTheReaderAndTellsNothing() throws Exception {
        addSegments(4, LONG);
        ReadAhead ahead = new ReadAhead(segments);
        AtomicReference<Throwable> told = new AtomicReference<>();
        Thread closer = new Thread(ahead::close);
        closer.setUncaughtExceptionHandler((thread, thrown) -> told.set(thrown));
        AtomicReference<Thread.State> seen = new AtomicReference<>();
        AtomicBoolean isDaemon = new AtomicBoolean();
        CountDownLatch isReading = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.READ)
                .preceding(() -> {
                    isDaemon.set(Thread.currentThread().isDaemon());
                    isReading.countDown();
                    seen.set(whenItWaitsOrHasEnded(closer));
                    throw new IllegalStateException("the disk is broken");
                })
                .forEver());
        // Its daemon status goes to the threads that it starts.
        Thread opener = new Thread(() -> assertThatCode(() -> ahead.startOf(0)).doesNotThrowAnyException());
        opener.setDaemon(false);
        opener.setUncaughtExceptionHandler((thread, thrown) -> told.set(thrown));
        opener.start();
        opener.join();
        isReading.await();
        closer.start();
        closer.join();

        assertThat(seen).hasValue(Thread.State.WAITING);
        assertThat(told).hasNullValue();
        assertThat(isDaemon).isTrue();
    }

    @Test
    void closingEndsTheReading() throws Exception {
        addSegments(4, LONG);
        AtomicInteger reads = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.READ)
                .preceding(() -> {
                    reads.incrementAndGet();
                    UninterruptedWait.through(release::await);
                })
                .forEver());
        ReadAhead ahead = new ReadAhead(segments);
        ahead.startOf(0);
        Thread closer = new Thread(ahead::close);
        closer.start();
        whenItWaitsOrHasEnded(closer);
        release.countDown();
        closer.join();

        assertThat(reads).hasValueLessThanOrEqualTo(1);
    }

    private static Thread.State whenItWaitsOrHasEnded(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        return thread.getState();
    }

    private List<Long> starts() throws IOException {
        List<Long> starts = new ArrayList<>();
        try (ReadAhead ahead = new ReadAhead(segments)) {
            for (int i = 0; i < segments.size(); i++) {
                starts.add(ahead.startOf(i));
            }
        }
        return starts;
    }

    private void failReads() {
        disk.inject(DiskFault.in(DiskOperation.READ).failingWith(DiskFault.EIO).forEver());
    }

    private void addSegments(int count, int bytes) throws IOException {
        addSegments(count, bytes, BLOCK);
    }

    private void addSegments(int count, int bytes, int blockBytes) throws IOException {
        for (int i = 0; i < count; i++) {
            Path path = Path.of("/" + SegmentFormat.fileName(segments.size() + 1));
            DiskFile file = disk.open(path, OpenMode.CREATE_NEW);
            file.writeFully(ByteBuffer.allocate(bytes), 0);
            add(path, file, disk.open(path, OpenMode.READ_WRITE), bytes, blockBytes);
        }
    }

    /** Adds long segments on the system's disk, which keeps no zeros. */
    private void addSparse(int count, int bytes) throws IOException {
        for (int i = 0; i < count; i++) {
            Path path = directory.resolve(SegmentFormat.fileName(segments.size() + 1));
            DiskFile file = system.open(path, OpenMode.CREATE_NEW);
            file.writeFully(ByteBuffer.allocate(1), bytes - 1L);
            add(path, file, system.open(path, OpenMode.READ_WRITE), bytes, BLOCK);
        }
    }

    private void add(Path path, DiskFile readFile, DiskFile writeFile, int bytes, int blockBytes) {
        int id = segments.size() + 1;
        SegmentHeader header = new SegmentHeader(id, SALT, bytes, blockBytes, id - 1, 1, 1, 0, 0);
        segments.add(new Segment(path, header, writeFile, readFile));
    }

    private void putHeader(int segment, int position, long salt) throws IOException {
        ByteBuffer batch = ByteBuffer.allocate(SegmentFormat.BATCH_HEADER_BYTES).order(SegmentFormat.ORDER);
        batch.putInt(SegmentFormat.BATCH_MAGIC_OFFSET, SegmentFormat.BATCH_MAGIC)
                .putLong(SegmentFormat.BATCH_SALT_OFFSET, salt)
                .putLong(
                        SegmentFormat.BATCH_SEGMENT_ID_OFFSET,
                        segments.get(segment).id())
                .putLong(SegmentFormat.BATCH_POSITION_OFFSET, position);
        segments.get(segment).writeFile().writeFully(batch, position);
    }
}

package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Batches at the edges of the scanner's window and of the file, and headers that lie although their checksums fit. */
class SegmentScannerLimitsTest {
    private static final int MIB = 1024 * 1024;
    private static final int BLOCK = 4096;
    private static final long ID = 5;
    private static final long SALT = 77;
    private static final Path FILE = Path.of("/store/segment-000001.seg");
    private static final byte[] STORE_ID = new byte[16];

    private final SimulatedDisk disk = new SimulatedDisk();
    private final SegmentScanner scanner = new SegmentScanner(STORE_ID);
    private final RecordEncoder encoder = new RecordEncoder(STORE_ID);
    private final ByteBuffer file = ByteBuffer.allocate(4 * MIB).order(SegmentFormat.ORDER);
    private final List<Long> sequences = new ArrayList<>();
    private final List<Integer> states = new ArrayList<>();
    private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private long allocatedBytes;

    @Test
    void aBatchThatIsLongerThanTheWindowIsRead() throws IOException {
        int end = put(BLOCK, 1, record(400_000), record(500_000), record(600_000));
        put(end, 2, record(10));

        scan();

        assertThat(sequences).containsExactly(1L, 2L);
        assertThat(states).containsExactly(400_000, 500_000, 600_000, 10);
    }

    @Test
    void aLongBatchTakesMemoryOnTheHeapOnly() throws IOException {
        put(BLOCK, 1, record(3 * MIB));
        long before = directBytes();

        scan();

        assertThat(states).containsExactly(3 * MIB);
        assertThat(directBytes() - before).isLessThanOrEqualTo(2 * MIB);
    }

    @Test
    void aLongBatchIsNotKept() throws IOException {
        put(BLOCK, 1, record(3 * MIB));
        scan();
        long first = allocatedBytes;

        scan();

        assertThat(allocatedBytes).as("the first scan has let the array go").isGreaterThan(first - 2 * MIB);
    }

    @Test
    void batchesThatLieAcrossTheEndOfTheWindowAreRead() throws IOException {
        int position = BLOCK;
        for (int sequence = 1; sequence <= 12; sequence++) {
            position = put(position, sequence, record(150_000 + sequence), record(150_000));
        }

        scan();

        assertThat(sequences).hasSize(12).isSorted();
        assertThat(states).hasSize(24).contains(150_001, 150_012);
    }

    @Test
    void lengthsThatDoNotAddUpMakeTheScannerAllocateNothingLarge() throws IOException {
        put(BLOCK, 1, record(10));
        file.putInt(BLOCK + SegmentFormat.BATCH_LENGTH_OFFSET, 3 * MIB);
        put(2 * BLOCK, 2, record(10));
        file.putInt(2 * BLOCK + SegmentFormat.BATCH_LENGTH_OFFSET, 3 * MIB);
        file.putInt(2 * BLOCK + SegmentFormat.BATCH_COUNT_OFFSET, Integer.MAX_VALUE);
        put(3 * BLOCK, 3, forged(3 * MIB));
        file.putInt(3 * BLOCK + SegmentFormat.BATCH_LENGTH_OFFSET, 3 * MIB);
        put(4 * BLOCK, 4, record(10));
        long before = directBytes();

        scan();

        assertThat(sequences).containsExactly(4L);
        assertThat(directBytes() - before).isLessThan(2 * MIB);
        assertThat(allocatedBytes).isLessThan(2 * MIB);
    }

    @Test
    void aBatchWhoseFirstRecordFillsItHasNoSecondOne() throws IOException {
        int position = file.capacity() - 3 * MIB;
        put(position, 1, forged(3 * MIB + 8));
        file.putInt(position + SegmentFormat.BATCH_LENGTH_OFFSET, 3 * MIB);
        file.putInt(position + SegmentFormat.BATCH_COUNT_OFFSET, 2);
        long before = directBytes();

        scan();

        assertThat(sequences).isEmpty();
        assertThat(directBytes() - before).isLessThan(2 * MIB);
        assertThat(allocatedBytes).isLessThan(2 * MIB);
    }

    @Test
    void aBatchMayEndWhereTheFileEndsAndNoBatchReachesBeyond() throws IOException {
        int last = file.capacity() - BLOCK;
        int end = put(last, 9, record(BLOCK - SegmentFormat.BATCH_HEADER_BYTES - 27));
        assertThat(end).isEqualTo(file.capacity());
        assertThat(file.getInt(last + SegmentFormat.BATCH_LENGTH_OFFSET)).isEqualTo(BLOCK);
        scan();
        assertThat(sequences).containsExactly(9L);

        file.putInt(last + SegmentFormat.BATCH_LENGTH_OFFSET, BLOCK + 100);
        file.putInt(last + SegmentFormat.BATCH_COUNT_OFFSET, 2);
        scan();
        assertThat(sequences).isEmpty();
    }

    @Test
    void lengthsAndCountsThatMakeNoSenseAreSkipped() throws IOException {
        int next = put(BLOCK, 1, record(10));
        put(next, 2, record(10));

        for (int length : new int[] {-1, 0, SegmentFormat.BATCH_HEADER_BYTES - 1}) {
            file.putInt(BLOCK + SegmentFormat.BATCH_LENGTH_OFFSET, length);
            scan();
            assertThat(sequences).as("length=" + length).containsExactly(2L);
        }
        put(BLOCK, 1, record(10));
        file.putInt(BLOCK + SegmentFormat.BATCH_COUNT_OFFSET, -1);
        scan();
        assertThat(sequences).containsExactly(2L);
    }

    @Test
    void eachFieldOfABatchHeaderIsChecked() throws IOException {
        int next = put(BLOCK, 1, record(10));
        put(next, 2, record(10));
        for (int offset = 0; offset < SegmentFormat.BATCH_HEADER_BYTES; offset++) {
            file.put(BLOCK + offset, (byte) (file.get(BLOCK + offset) ^ 1));
            scan();
            assertThat(sequences).as("offset=" + offset).containsExactly(2L);
            file.put(BLOCK + offset, (byte) (file.get(BLOCK + offset) ^ 1));
        }
    }

    @Test
    void anEmptyBatchIsABatch() throws IOException {
        put(BLOCK, 1);

        scan();

        assertThat(sequences).containsExactly(1L);
        assertThat(states).isEmpty();
    }

    /** The file of an earlier life may lie before or behind the batches of the latest one. */
    @Test
    void theLatestLifeIsThatOfTheHighestIdWhereverItsBatchesLie() throws IOException {
        put(BLOCK, 1, record(10));
        file.putLong(BLOCK + SegmentFormat.BATCH_SEGMENT_ID_OFFSET, ID + 1);
        sign(BLOCK, 1);
        put(2 * BLOCK, 2, record(10));
        put(3 * BLOCK, 3, record(10));
        file.putLong(3 * BLOCK + SegmentFormat.BATCH_SEGMENT_ID_OFFSET, ID + 3); // its checksum does not fit

        try (DiskFile open = open()) {
            assertThat(scanner.latestLife(open, file.capacity() + 100)).hasValueSatisfying(life -> {
                assertThat(life.segmentId()).isEqualTo(ID + 1);
                assertThat(life.salt()).isEqualTo(SALT);
                assertThat(life.segmentBytes()).isEqualTo(file.capacity());
            });
        }
    }

    private void scan() throws IOException {
        sequences.clear();
        states.clear();
        SegmentHeader header = new SegmentHeader(ID, SALT, file.capacity(), BLOCK, ID - 1, 1, 1, 0, 0);
        try (DiskFile open = open()) {
            long before = threads.getCurrentThreadAllocatedBytes();
            scanner.scan(open, header, new SegmentScanner.Visitor() {
                @Override
                public void batch(ScannedBatch batch) {
                    sequences.add(batch.sequence());
                }

                @Override
                public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                    states.add(RecordDecoder.imageOf(bytes, offset, record).committed().length);
                }
            });
            allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
    }

    private DiskFile open() throws IOException {
        if (disk.kindOf(FILE.getParent()) == Disk.PathKind.MISSING) {
            disk.createDirectory(FILE.getParent());
            JournalFiles.put(disk, FILE, file.array());
        }
        disk.replaceContents(FILE, file.array().clone());
        return disk.open(FILE, OpenMode.READ);
    }

    private byte[] record(int stateBytes) {
        StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {1}));
        return encoder.encode(key, StateImage.ABSENT.write(new byte[stateBytes]));
    }

    /** A header whose length makes it the only record of a batch that is as long as this. */
    private static byte[] forged(int batchBytes) {
        ByteBuffer record = ByteBuffer.allocate(RecordFormat.HEADER_BYTES).order(RecordFormat.ORDER);
        record.putInt(RecordFormat.LENGTH_OFFSET, batchBytes - SegmentFormat.BATCH_HEADER_BYTES - 8);
        return record.array();
    }

    /** Puts a batch at this position; returns where the next one may begin. */
    private int put(int position, long sequence, byte[]... records) {
        Arrays.fill(file.array(), position, position + SegmentFormat.BATCH_HEADER_BYTES, (byte) 0);
        int end = position + SegmentFormat.BATCH_HEADER_BYTES;
        for (byte[] record : records) {
            file.put(end, record);
            end += record.length;
        }
        file.putInt(position + SegmentFormat.BATCH_MAGIC_OFFSET, SegmentFormat.BATCH_MAGIC)
                .putLong(position + SegmentFormat.BATCH_SALT_OFFSET, SALT)
                .putLong(position + SegmentFormat.BATCH_SEGMENT_ID_OFFSET, ID)
                .putLong(position + SegmentFormat.BATCH_SEQUENCE_OFFSET, sequence)
                .putLong(position + SegmentFormat.BATCH_DURABLE_OFFSET, sequence - 1)
                .putLong(position + SegmentFormat.BATCH_POSITION_OFFSET, position)
                .putInt(position + SegmentFormat.BATCH_LENGTH_OFFSET, end - position)
                .putInt(position + SegmentFormat.BATCH_COUNT_OFFSET, records.length);
        sign(position, records.length);
        return (int) SegmentFormat.aligned(end, BLOCK);
    }

    private void sign(int position, int count) {
        CRC32C crc = new CRC32C();
        crc.update(
                file.array(),
                position + SegmentFormat.BATCH_SALT_OFFSET,
                SegmentFormat.BATCH_HEADER_BYTES - SegmentFormat.BATCH_SALT_OFFSET);
        int offset = position + SegmentFormat.BATCH_HEADER_BYTES;
        for (int i = 0; i < count && offset < file.capacity(); i++) {
            crc.update(file.array(), offset, Integer.BYTES);
            offset += file.getInt(offset + RecordFormat.LENGTH_OFFSET);
        }
        file.putInt(position + SegmentFormat.BATCH_CRC_OFFSET, (int) crc.getValue());
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}

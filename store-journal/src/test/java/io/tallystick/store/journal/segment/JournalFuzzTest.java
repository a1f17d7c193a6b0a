package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallystick.storage.DiskFile;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.log.commit.AppendChains;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Records and segments changed at random, half of them with checksums that fit again: what is decoded makes sense,
 * nothing but the documented exceptions is thrown, and no number on disk decides how much memory is taken. {@code
 * -Dtallystick.test.fuzz.inputs} and {@code -Dtallystick.test.fuzz.seed} change how many and which.
 */
class JournalFuzzTest {
    private static final int INPUTS = Integer.getInteger("tallystick.test.fuzz.inputs", 100_000);
    private static final long SEED = Long.getLong("tallystick.test.fuzz.seed", 1);

    private static final byte[] STORE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int BLOCK_BYTES = 512;
    private static final int SEGMENT_BYTES = 16 * BLOCK_BYTES;
    private static final Path FILE = Path.of("/store/segment-000001.log");
    // Beside the input's size: exceptions with their stacks, keys, lists.
    private static final int SMALL_CHANGE_BYTES = 64 * 1024;
    // What the first inputs take is for classes that are loaded.
    private static final int FIRST_INPUTS = 1_000;
    private static final int[] INTERESTING = {
        0,
        1,
        -1,
        7,
        8,
        23,
        24,
        25,
        63,
        64,
        65,
        127,
        128,
        255,
        256,
        511,
        512,
        65_535,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE
    };

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Random random = new Random(SEED);
    private final RecordDecoder decoder = new RecordDecoder(STORE_ID);
    private final SegmentScanner scanner = new SegmentScanner(STORE_ID);
    private long accepted;

    @Test
    void anyRecordIsDecodedOrRefused() {
        List<byte[]> records = records();
        for (int i = 0; i < INPUTS / 2; i++) {
            byte[] record = records.get(random.nextInt(records.size())).clone();
            byte[] input = mutated(record, records.get(random.nextInt(records.size())), RecordFormat.HEADER_BYTES + 8);
            if (random.nextBoolean() && input.length >= RecordFormat.HEADER_BYTES) {
                if (random.nextInt(4) > 0) {
                    ByteBuffer.wrap(input).order(RecordFormat.ORDER).putInt(RecordFormat.LENGTH_OFFSET, input.length);
                }
                JournalFiles.signRecord(input, 0, STORE_ID);
            }
            long before = allocatedBytes();
            decode(input, i);
            assertThat(allocatedBytes() - before)
                    .as("seed=%d input=%d", SEED, i)
                    .isLessThan(i < FIRST_INPUTS ? Long.MAX_VALUE : 4L * input.length + SMALL_CHANGE_BYTES);
        }
        assertThat(accepted).as("inputs that make sense").isGreaterThan(INPUTS / 100);
    }

    private void decode(byte[] input, int number) {
        ByteBuffer source = ByteBuffer.wrap(input).order(RecordFormat.ORDER);
        try {
            RecordDecoder.Header header = decoder.decodeHeader(source, 0, input.length);
            StateImage image = RecordDecoder.imageOf(source, 0, header);
            assertThat(header.length()).isBetween(RecordFormat.HEADER_BYTES, input.length);
            assertThat(image.bytes()).isLessThan(header.length());
            assertThat(StateKey.parse(header.key().toString())).isEqualTo(header.key());
            accepted++;
        } catch (RecordDecoder.BadRecordException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        } catch (RuntimeException | Error other) {
            throw new AssertionError("seed=" + SEED + " input=" + number + ": " + other, other);
        }
    }

    @Test
    void anySegmentIsScannedToItsEnd() throws IOException {
        List<byte[]> segments = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            segments.add(segment(i));
        }
        for (int i = 0; i < INPUTS / 2; i++) {
            byte[] segment = segments.get(random.nextInt(segments.size())).clone();
            byte[] input = mutated(segment, segments.get(random.nextInt(segments.size())), segment.length);
            if (random.nextBoolean()) {
                for (int batch : JournalFiles.batches(input, BLOCK_BYTES)) {
                    if (random.nextBoolean()) {
                        JournalFiles.signRecord(input, batch + SegmentFormat.BATCH_HEADER_BYTES, STORE_ID);
                    }
                    JournalFiles.signBatch(input, batch);
                }
                if (input.length >= SegmentFormat.SEGMENT_HEADER_BYTES) {
                    JournalFiles.signHeader(input);
                }
            }
            long before = allocatedBytes();
            scan(input, i);
            assertThat(allocatedBytes() - before)
                    .as("seed=%d input=%d", SEED, i)
                    .isLessThan(i < FIRST_INPUTS ? Long.MAX_VALUE : 16L * SEGMENT_BYTES + SMALL_CHANGE_BYTES);
        }
        assertThat(accepted).as("inputs that make sense").isGreaterThan(INPUTS / 100);
    }

    private void scan(byte[] input, int number) throws IOException {
        BytesFile file = new BytesFile(input);
        try {
            SegmentHeader header = SegmentHeader.decode(ByteBuffer.wrap(input), STORE_ID, FILE, input.length);
            CheckingVisitor visitor = new CheckingVisitor(header);
            scanner.scan(new Segment(FILE, header, file, file), visitor);
            accepted++;
        } catch (CorruptStoreException | UnsupportedFormatException refused) {
            assertThat(refused).hasMessageContaining(FILE.toString());
        } catch (RuntimeException | Error other) {
            throw new AssertionError("seed=" + SEED + " input=" + number + ": " + other, other);
        }
    }

    private static final class CheckingVisitor implements SegmentScanner.Visitor {
        private final SegmentHeader header;
        private long end;
        private long recordEnd;

        CheckingVisitor(SegmentHeader header) {
            this.header = header;
            this.end = header.blockBytes();
        }

        @Override
        public void batch(ScannedBatch batch) {
            long position = batch.position();
            check(position >= end && batch.gapStart() >= end && batch.gapStart() <= position, batch.toString());
            check(position % header.blockBytes() == 0 && batch.end() <= header.segmentBytes(), batch.toString());
            end = batch.end();
            recordEnd = position + SegmentFormat.BATCH_HEADER_BYTES;
        }

        @Override
        public void record(long position, RecordDecoder.Header record, ByteBuffer bytes, int offset) {
            check(position == recordEnd, "record at " + position);
            recordEnd += record.length();
            check(recordEnd <= end, "record reaches to " + recordEnd);
            RecordDecoder.imageOf(bytes, offset, record);
        }

        private static void check(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }
    }

    /** A few changes, or none: bits, numbers, runs of the other input, another length. */
    private byte[] mutated(byte[] input, byte[] other, int reach) {
        byte[] result = input;
        ByteBuffer bytes = ByteBuffer.wrap(result).order(RecordFormat.ORDER);
        int changes = random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(Math.min(reach, result.length));
            switch (random.nextInt(6)) {
                case 0 -> result[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> result[at] = (byte) random.nextInt();
                case 2 -> bytes.putInt(Math.min(at & -4, result.length - 4), interesting());
                case 3 -> bytes.putShort(Math.min(at & -2, result.length - 2), (short) interesting());
                case 4 -> {
                    int count = random.nextInt(Math.min(64, Math.min(other.length, result.length - at)) + 1);
                    System.arraycopy(other, random.nextInt(other.length - count + 1), result, at, count);
                }
                default -> {
                    int field = Math.min(at & -4, result.length - 4);
                    bytes.putInt(field, bytes.getInt(field) + random.nextInt(17) - 8);
                }
            }
        }
        if (random.nextInt(50) == 0) {
            result = Arrays.copyOf(result, 1 + random.nextInt(2 * result.length));
        }
        return result;
    }

    private int interesting() {
        return INTERESTING[random.nextInt(INTERESTING.length)];
    }

    private List<byte[]> records() {
        RecordEncoder encoder = new RecordEncoder(STORE_ID);
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            records.add(encoder.encode(key(i), image(i)));
        }
        return records;
    }

    private byte[] segment(int number) throws IOException {
        SegmentHeader header =
                new SegmentHeader(5 + number, 77 * number, SEGMENT_BYTES, BLOCK_BYTES, 4 + number, 3, 100, 50, 20);
        byte[] bytes = new byte[SEGMENT_BYTES];
        header.encodeTo(ByteBuffer.wrap(bytes), STORE_ID);
        BytesFile file = new BytesFile(bytes);
        Segment segment = new Segment(FILE, header, file, file);
        RecordEncoder encoder = new RecordEncoder(STORE_ID);
        long position = BLOCK_BYTES;
        for (int sequence = 100; position + 4 * BLOCK_BYTES <= SEGMENT_BYTES; sequence++) {
            List<PendingAppend> appends = new ArrayList<>();
            int length = SegmentFormat.BATCH_HEADER_BYTES;
            for (int i = 0; i < sequence % 4; i++) {
                StateKey key = key(number + sequence + i);
                StateImage image = image(sequence + i);
                appends.add(PendingAppend.of(key, image, encoder.encode(key, image), false));
                length += appends.get(i).recordLength();
            }
            SegmentBatch batch = new SegmentBatch(
                    sequence,
                    AppendChains.of(appends),
                    appends.size(),
                    null,
                    new SegmentBatch.Place(segment, position, length));
            new BatchWriter(4 * BLOCK_BYTES, BLOCK_BYTES).write(batch, sequence - 1, false);
            position += batch.bytes();
        }
        return bytes;
    }

    private static StateKey key(int number) {
        String type = number % 3 == 0 ? "/T" : "/\u00fcber/\u4e16\u754c/" + "x".repeat(number % 50);
        return StateKey.of(
                type.endsWith("/") ? type + "y" : type, ObjectId.of(new byte[1 + number % ObjectId.MAX_BYTES]));
    }

    private static StateImage image(int number) {
        byte[] bytes = new byte[37 * number % 400];
        new Random(number).nextBytes(bytes);
        return switch (number % 5) {
            case 0 -> StateImage.ABSENT;
            case 1 -> StateImage.of(bytes, null, false);
            case 2 -> StateImage.of(null, bytes, number % 2 == 0);
            case 3 -> StateImage.of(bytes, new byte[number % 9], true);
            default -> StateImage.of(new byte[0], bytes, false);
        };
    }

    private long allocatedBytes() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** A file that is an array. */
    private record BytesFile(byte[] bytes) implements DiskFile {
        @Override
        public Path path() {
            return FILE;
        }

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            if (position >= bytes.length) {
                return -1;
            }
            int count = (int) Math.min(target.remaining(), bytes.length - position);
            target.put(bytes, (int) position, count);
            return count;
        }

        @Override
        public int write(ByteBuffer source, long position) {
            int count = source.remaining();
            source.get(bytes, (int) position, count);
            return count;
        }

        @Override
        public void force() {
            // an array is as durable as it gets here
        }

        @Override
        public void truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // nothing to give back
        }
    }
}

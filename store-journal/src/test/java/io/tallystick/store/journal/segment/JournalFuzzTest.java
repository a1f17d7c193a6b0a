package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tallystick.store.log.record.RecordFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * Records and segments changed at random, half of them with checksums that fit again: what is decoded makes sense,
 * nothing but the documented exceptions is thrown, and no number on disk decides how much memory is taken. {@code
 * -Dtallystick.test.fuzz.inputs} and {@code -Dtallystick.test.fuzz.seed} change how many and which.
 */
class JournalFuzzTest {
    private static final int INPUTS = Integer.getInteger("tallystick.test.fuzz.inputs", 100_000);
    private static final long SEED = Long.getLong("tallystick.test.fuzz.seed", 1);

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
    private final RecordCheck recordCheck = new RecordCheck();
    private final SegmentCheck segmentCheck = new SegmentCheck();
    private long accepted;

    @Test
    void anyRecordIsDecodedOrRefused() {
        List<byte[]> records = SoundJournalInputs.records();
        for (int i = 0; i < INPUTS / 2; i++) {
            byte[] record = records.get(random.nextInt(records.size())).clone();
            byte[] input = mutated(record, records.get(random.nextInt(records.size())), RecordFormat.HEADER_BYTES + 8);
            if (random.nextBoolean() && input.length >= RecordFormat.HEADER_BYTES) {
                if (random.nextInt(4) > 0) {
                    ByteBuffer.wrap(input).order(RecordFormat.ORDER).putInt(RecordFormat.LENGTH_OFFSET, input.length);
                }
                JournalFiles.signRecord(input, 0, SoundJournalInputs.STORE_ID);
            }
            long before = allocatedBytes();
            count(i, () -> recordCheck.isRecord(input));
            assertThat(allocatedBytes() - before)
                    .as("seed=%d input=%d", SEED, i)
                    .isLessThan(i < FIRST_INPUTS ? Long.MAX_VALUE : 4L * input.length + SMALL_CHANGE_BYTES);
        }
        assertThat(accepted).as("inputs that make sense").isGreaterThan(INPUTS / 100);
    }

    @Test
    void anySegmentIsScannedToItsEnd() throws IOException {
        List<byte[]> segments = SoundJournalInputs.segments();
        for (int i = 0; i < INPUTS / 2; i++) {
            byte[] segment = segments.get(random.nextInt(segments.size())).clone();
            byte[] input = mutated(segment, segments.get(random.nextInt(segments.size())), segment.length);
            if (random.nextBoolean()) {
                SegmentCheck.sign(input, random.nextBoolean());
            }
            long before = allocatedBytes();
            count(i, () -> segmentCheck.isSegment(input));
            assertThat(allocatedBytes() - before)
                    .as("seed=%d input=%d", SEED, i)
                    .isLessThan(
                            i < FIRST_INPUTS
                                    ? Long.MAX_VALUE
                                    : 16L * SoundJournalInputs.SEGMENT_BYTES + SMALL_CHANGE_BYTES);
        }
        assertThat(accepted).as("inputs that make sense").isGreaterThan(INPUTS / 100);
    }

    private void count(int number, Callable<Boolean> check) {
        try {
            if (check.call()) {
                accepted++;
            }
        } catch (Exception | Error violated) {
            throw new AssertionError("seed=" + SEED + " input=" + number + ": " + violated, violated);
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

    private long allocatedBytes() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}

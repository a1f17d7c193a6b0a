package io.tallystick.store.log.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder.BadRecordException;
import io.tallystick.store.log.record.RecordDecoder.Header;
import io.tallystick.store.spi.StateImage;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records come back as they were written, or not at all. */
class RecordCodecTest {
    private static final byte[] STORE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final StateKey KEY = StateKey.of("/Some/T\u00ffpe", ObjectId.of(new byte[] {1, 2, 3}));

    private final RecordEncoder encoder = new RecordEncoder(STORE_ID);
    private final RecordDecoder decoder = new RecordDecoder(STORE_ID);

    @Test
    void everyImageComesBackAsItWasWritten() throws BadRecordException {
        byte[] empty = {};
        byte[] some = {7, 8, 9};
        byte[] more = new byte[1000];
        for (StateImage image : List.of(
                StateImage.ABSENT,
                StateImage.of(empty, null, false),
                StateImage.of(some, null, false),
                StateImage.of(null, some, false),
                StateImage.of(null, empty, true),
                StateImage.of(more, some, false),
                StateImage.of(empty, empty, true),
                StateImage.of(more, null, true))) {
            byte[] record = encoder.encode(KEY, image);
            assertThat(record.length % RecordFormat.ALIGNMENT).isZero();

            Header header = decoder.decodeHeader(record, 0, record.length);

            assertThat(header.key()).isEqualTo(KEY);
            assertThat(header.length()).isEqualTo(record.length);
            StateImage decoded = RecordDecoder.imageOf(record, 0, header);
            assertThat(decoded.committed()).isEqualTo(image.committed());
            assertThat(decoded.shadow()).isEqualTo(image.shadow());
            assertThat(decoded.isHidden()).isEqualTo(image.isHidden());
        }
    }

    @Test
    void recordWithinALargerBufferIsDecodedWhereItBegins() throws BadRecordException {
        byte[] record = encoder.encode(KEY, StateImage.of(new byte[] {5}, null, false));
        byte[] larger = new byte[record.length + 24];
        System.arraycopy(record, 0, larger, 8, record.length);

        Header header = decoder.decodeHeader(larger, 8, larger.length);

        assertThat(header.length()).isEqualTo(record.length);
        assertThat(RecordDecoder.imageOf(larger, 8, header).committed()).containsExactly(5);
    }

    @Test
    void anExpectedKeySavesWorkAndChangesNothing() throws BadRecordException {
        byte[] record = encoder.encode(KEY, StateImage.of(new byte[] {5}, null, false));
        List<StateKey> expected = List.of(
                KEY,
                KEY.withId(ObjectId.of(new byte[] {1})),
                StateKey.of(KEY.type() + "/Longer", KEY.id()),
                StateKey.of("/\u00e4\ud83d\ude00", KEY.id()));
        for (StateKey key : expected) {
            RecordDecoder expecting = new RecordDecoder(STORE_ID, key);
            assertThat(expecting.decodeHeader(record, 0, record.length).key()).isEqualTo(KEY);
            byte[] other = encoder.encode(key, StateImage.of(new byte[] {5}, null, false));
            assertThat(expecting.decodeHeader(other, 0, other.length).key()).isEqualTo(key);
        }
    }

    @Test
    void numbersAreReadAsABufferReadsThem() {
        Random random = new Random(1);
        byte[] bytes = new byte[64];
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(RecordFormat.ORDER);
        for (int i = 0; i < 1000; i++) {
            random.nextBytes(bytes);
            int offset = random.nextInt(bytes.length - Long.BYTES);
            assertThat(RecordFormat.longAt(bytes, offset)).isEqualTo(buffer.getLong(offset));
            assertThat(RecordFormat.intAt(bytes, offset)).isEqualTo(buffer.getInt(offset));
            assertThat(RecordFormat.shortAt(bytes, offset)).isEqualTo(buffer.getShort(offset) & 0xffff);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 100, 601})
    void everyFlippedBitIsRefused(int stateBytes) {
        byte[] state = new byte[stateBytes];
        new Random(stateBytes).nextBytes(state);
        byte[] record = encoder.encode(KEY, StateImage.of(state, stateBytes % 2 == 0 ? null : new byte[3], false));
        for (int bit = 0; bit < record.length * 8; bit++) {
            byte[] damaged = record.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertRefused(damaged, damaged.length, "bit=" + bit);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 601})
    void everyTruncationIsRefused(int stateBytes) {
        byte[] record = encoder.encode(KEY, StateImage.of(new byte[stateBytes], null, false));
        for (int limit = 0; limit < record.length; limit++) {
            assertRefused(record, limit, "limit=" + limit);
            assertRefused(Arrays.copyOf(record, limit), limit, "length=" + limit);
            byte[] zeroed = Arrays.copyOf(Arrays.copyOf(record, limit), record.length);
            if (!Arrays.equals(zeroed, record)) {
                assertRefused(zeroed, zeroed.length, "zeros from=" + limit);
            }
        }
    }

    @Test
    void recordOfAnotherStoreIsRefused() {
        byte[] record = new RecordEncoder(new byte[16]).encode(KEY, StateImage.of(new byte[10], null, false));
        assertRefused(record, record.length, "another store");
    }

    /** A record whose checksum fits and whose lengths lie, as an attacker may forge it who knows the store's id. */
    @Test
    void forgedRecordIsRefusedOrTakenWholeAndNeverReachesBeyondItself() throws BadRecordException {
        byte[] record = encoder.encode(KEY, StateImage.of(new byte[200], new byte[50], false));
        Random random = new Random(1);
        int taken = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] forged = record.clone();
            for (int change = 0; change <= random.nextInt(3); change++) {
                int at = RecordFormat.LENGTH_OFFSET + random.nextInt(RecordFormat.HEADER_BYTES - 4 + 16);
                forged[at] = (byte) (random.nextInt(4) == 0 ? -1 : random.nextInt());
            }
            sign(forged);
            try {
                Header header = decoder.decodeHeader(forged, 0, forged.length);
                StateImage image = RecordDecoder.imageOf(forged, 0, header);
                assertThat(image.bytes()).isLessThanOrEqualTo(forged.length);
                taken++;
            } catch (BadRecordException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
        }
        assertThat(taken).as("forgeries that make sense").isPositive();
    }

    @Test
    void randomBytesAreRefused() {
        Random random = new Random(2);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            assertRefused(bytes, bytes.length, "random i=" + i);
        }
    }

    @Test
    void lengthsThatLieMakeTheDecoderAllocateNothingLarge() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] record = encoder.encode(KEY, StateImage.of(new byte[200], new byte[50], false));
        byte[][] forgeries = new byte[8][];
        int[] offsets = {
            RecordFormat.LENGTH_OFFSET,
            RecordFormat.TYPE_LENGTH_OFFSET,
            RecordFormat.ID_LENGTH_OFFSET,
            RecordFormat.COMMITTED_LENGTH_OFFSET,
            RecordFormat.SHADOW_LENGTH_OFFSET
        };
        for (int i = 0; i < forgeries.length; i++) {
            forgeries[i] = record.clone();
            int offset = offsets[i % offsets.length];
            forgeries[i][offset + 1] = 0x7f;
            if (offset != RecordFormat.TYPE_LENGTH_OFFSET && offset != RecordFormat.ID_LENGTH_OFFSET) {
                forgeries[i][offset + 3] = 0x7f;
            }
            sign(forgeries[i]);
            assertRefused(forgeries[i], record.length, "warm-up");
        }
        long self = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(self);
        for (byte[] forgery : forgeries) {
            assertRefused(forgery, forgery.length, "lying length");
        }
        assertThat(threads.getThreadAllocatedBytes(self) - before).isLessThan(1024 * 1024);
    }

    private void assertRefused(byte[] bytes, int limit, String what) {
        try {
            decoder.decodeHeader(bytes, 0, limit);
        } catch (BadRecordException refused) {
            return;
        }
        fail("taken: " + what);
    }

    @Test
    void refusalSaysWhy() {
        byte[] record = encoder.encode(KEY, StateImage.ABSENT);
        record[record.length - 1] ^= 1;
        assertThatThrownBy(() -> decoder.decodeHeader(record, 0, record.length))
                .isInstanceOf(BadRecordException.class)
                .hasMessage("its checksum does not fit");
    }

    private static void sign(byte[] record) {
        int length = buffer(record).getInt(RecordFormat.LENGTH_OFFSET);
        int signed = length >= RecordFormat.LENGTH_OFFSET && length <= record.length ? length : record.length;
        CRC32C crc = new CRC32C();
        crc.update(STORE_ID);
        crc.update(record, RecordFormat.LENGTH_OFFSET, signed - RecordFormat.LENGTH_OFFSET);
        buffer(record).putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(RecordFormat.ORDER);
    }
}

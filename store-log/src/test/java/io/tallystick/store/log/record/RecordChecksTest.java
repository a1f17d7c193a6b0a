package io.tallystick.store.log.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.log.record.RecordDecoder.BadRecordException;
import io.tallystick.store.spi.StateImage;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Each check of the decoder refuses what it is for, at its exact limit. The records are forged: checksums fit. */
class RecordChecksTest {
    private static final byte[] STORE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int TYPES_KEPT = 256;
    /** Where records begin in a larger buffer, so that an offset that is added wrongly shows. */
    private static final int AT = 40;

    private final RecordEncoder encoder = new RecordEncoder(STORE_ID);
    private final RecordDecoder decoder = new RecordDecoder(STORE_ID);

    @Test
    void aLimitWithinTheHeaderIsNamedWhereverTheRecordBegins() {
        byte[] record = encode(key("/T"), new byte[50], null);

        assertRefused(record, RecordFormat.HEADER_BYTES - 1, "it ends within its header");
        assertRefused(record, 0, "it ends within its header");
        assertRefused(
                record,
                RecordFormat.HEADER_BYTES,
                "its length " + record.length + " does not fit into the " + RecordFormat.HEADER_BYTES
                        + " bytes there are");
        assertRefused(
                record,
                record.length - 1,
                "its length " + record.length + " does not fit into the " + (record.length - 1) + " bytes there are");
    }

    @Test
    void lengthsOfLessThanAHeaderOrBesideTheAlignmentAreRefused() {
        byte[] record = encode(key("/T"), new byte[50], null);

        assertForgeryRefused(record, forged -> forged.putInt(RecordFormat.LENGTH_OFFSET, 16), "its length 16 does");
        assertForgeryRefused(record, forged -> forged.putInt(RecordFormat.LENGTH_OFFSET, 44), "its length 44 does");
        assertForgeryRefused(record, forged -> forged.putInt(RecordFormat.LENGTH_OFFSET, -8), "its length -8 does");
    }

    @Test
    void aHeaderWithoutAKeyIsMalformedAndNotTooShort() {
        byte[] header = new byte[RecordFormat.HEADER_BYTES];
        buffer(header)
                .put(RecordFormat.KIND_OFFSET, RecordFormat.KIND_IMAGE)
                .putInt(RecordFormat.LENGTH_OFFSET, header.length);

        assertForgeryRefused(header, forged -> {}, "its key is malformed");
    }

    @Test
    void anEmptyTypeIsMalformedInTheVeryFirstRecordToo() {
        byte[] record = new byte[RecordFormat.HEADER_BYTES + RecordFormat.ALIGNMENT];
        buffer(record)
                .put(RecordFormat.KIND_OFFSET, RecordFormat.KIND_IMAGE)
                .putShort(RecordFormat.ID_LENGTH_OFFSET, (short) 1)
                .putInt(RecordFormat.LENGTH_OFFSET, record.length);

        assertForgeryRefused(record, forged -> {}, "its key is malformed");
    }

    @Test
    void fieldsThatContradictEachOtherAreRefused() {
        byte[] both = encode(key("/T"), new byte[3], new byte[4]);

        assertForgeryRefused(both, forged -> forged.put(RecordFormat.KIND_OFFSET, (byte) 2), "its kind is unknown");
        assertForgeryRefused(both, forged -> forged.put(RecordFormat.FLAGS_OFFSET, (byte) 11), "its flags are unknown");
        assertForgeryRefused(
                both,
                forged -> forged.put(RecordFormat.FLAGS_OFFSET, (byte) RecordFormat.FLAG_SHADOW),
                "it has bytes of no committed value");
        assertForgeryRefused(
                both,
                forged -> forged.put(RecordFormat.FLAGS_OFFSET, (byte) RecordFormat.FLAG_COMMITTED),
                "it has bytes of no shadow value");
        assertForgeryRefused(
                both, forged -> forged.putInt(RecordFormat.COMMITTED_LENGTH_OFFSET, -1), "a length is negative");
        assertForgeryRefused(
                both, forged -> forged.putInt(RecordFormat.SHADOW_LENGTH_OFFSET, -1), "a length is negative");
        assertForgeryRefused(
                encode(key("/T"), null, null),
                forged -> forged.put(RecordFormat.FLAGS_OFFSET, (byte) RecordFormat.FLAG_HIDDEN),
                "it hides nothing");
    }

    @Test
    void aRecordMayEndWithoutPaddingButNotWithABlockOfIt() throws BadRecordException {
        StateKey key = key("/T"); // two bytes of type, one of id
        byte[] full = encode(key, new byte[5], null);
        assertThat(full).hasSize(RecordFormat.HEADER_BYTES + 2 + 1 + 5);

        assertThat(decoder.decodeHeader(placed(full), AT, AT + full.length).committedLength())
                .isEqualTo(5);
        assertForgeryRefused(
                full, forged -> forged.putInt(RecordFormat.COMMITTED_LENGTH_OFFSET, 6), "its lengths do not add up");
        assertForgeryRefused(
                Arrays.copyOf(full, full.length + RecordFormat.ALIGNMENT),
                forged -> forged.putInt(RecordFormat.LENGTH_OFFSET, full.length + RecordFormat.ALIGNMENT),
                "its lengths do not add up");
    }

    /** A record that got the type of the one before it would give a state to another key. */
    @Test
    void recordsOfSeveralTypesEachHaveTheirOwn() throws BadRecordException {
        for (String type : new String[] {"/A", "/B", "/A", "/A", "/B"}) {
            assertThat(decode(type).type()).isEqualTo(type);
        }
    }

    @Test
    void aTypeIsDecodedOnceAndTypesBeyondALimitAreNotKept() throws BadRecordException {
        StateKey first = decode("/type0");
        for (int number = 1; number <= TYPES_KEPT; number++) {
            decode("/type" + number);
        }
        StateKey lastKept = decode("/type" + (TYPES_KEPT - 1));
        StateKey notKept = decode("/type" + TYPES_KEPT);

        assertThat(decode("/type0").type()).isSameAs(first.type());
        assertThat(decode("/type" + (TYPES_KEPT - 1)).type()).isSameAs(lastKept.type());
        assertThat(decode("/type" + TYPES_KEPT).type())
                .isEqualTo(notKept.type())
                .isNotSameAs(notKept.type());
    }

    @Test
    void aTypeIsEncodedOnceAndTypesBeyondALimitAreNotKept() {
        String tail = "x".repeat(1000);
        for (int number = 0; number <= TYPES_KEPT; number++) {
            encode(key("/" + number + tail), null, null);
        }

        assertThat(allocatedPerRecord(key("/" + (TYPES_KEPT - 1) + tail))).isLessThan(1800);
        assertThat(allocatedPerRecord(key("/" + TYPES_KEPT + tail))).isGreaterThan(2000);
    }

    @Test
    void theKeyOfADamagedRecordIsShownWhereItStandsInBounds() {
        StateKey key = StateKey.of("/" + "t".repeat(StateKey.MAX_TYPE_BYTES - 1), ObjectId.of(new byte[64]));
        byte[] record = encode(key, null, null);
        int end = AT + RecordFormat.HEADER_BYTES + StateKey.MAX_TYPE_BYTES + ObjectId.MAX_BYTES;

        assertThat(decoder.claimedKey(placed(record), AT, end)).contains(key);
        assertThat(decoder.claimedKey(placed(record), AT, end - 1)).isEmpty();
        assertThat(decoder.claimedKey(placed(record), AT, AT + RecordFormat.HEADER_BYTES - 1))
                .isEmpty();
        assertThat(decoder.claimedKey(new byte[AT + 8], AT, AT + 8)).isEmpty();
    }

    @Test
    void lengthsOfAKeyThatLieShowNone() {
        byte[] record = Arrays.copyOf(encode(key("/T"), null, null), 4096);
        Arrays.fill(record, RecordFormat.HEADER_BYTES + 1, record.length, (byte) 't');

        assertThat(claimed(record, RecordFormat.TYPE_LENGTH_OFFSET, StateKey.MAX_TYPE_BYTES))
                .isTrue();
        assertThat(claimed(record, RecordFormat.TYPE_LENGTH_OFFSET, StateKey.MAX_TYPE_BYTES + 1))
                .isFalse();
        assertThat(claimed(record, RecordFormat.TYPE_LENGTH_OFFSET, 0xffff)).isFalse();
        assertThat(claimed(record, RecordFormat.ID_LENGTH_OFFSET, ObjectId.MAX_BYTES))
                .isTrue();
        assertThat(claimed(record, RecordFormat.ID_LENGTH_OFFSET, ObjectId.MAX_BYTES + 1))
                .isFalse();
        assertThat(claimed(record, RecordFormat.ID_LENGTH_OFFSET, 0xffff)).isFalse();
        assertThat(claimed(record, RecordFormat.ID_LENGTH_OFFSET, 0)).isFalse();
    }

    @Test
    void aBareHeaderAtTheEndShowsNoKey() {
        assertThat(decoder.claimedKey(placed(new byte[RecordFormat.HEADER_BYTES]), AT, AT + RecordFormat.HEADER_BYTES))
                .isEmpty();
    }

    @Test
    void theFlagsOfAnImageTellItsStatus() {
        StateStatus[] statuses = {
            StateStatus.ABSENT,
            StateStatus.COMMITTED,
            StateStatus.SHADOW,
            StateStatus.SHADOW,
            StateStatus.ABSENT,
            StateStatus.COMMITTED_HIDDEN,
            StateStatus.SHADOW_HIDDEN,
            StateStatus.SHADOW_HIDDEN
        };
        for (int flags = 0; flags < statuses.length; flags++) {
            assertThat(RecordFormat.statusOf(flags)).as("flags=" + flags).isEqualTo(statuses[flags]);
        }
    }

    private boolean claimed(byte[] record, int lengthOffset, int length) {
        byte[] forged = record.clone();
        buffer(forged).putShort(lengthOffset, (short) length);
        return decoder.claimedKey(placed(forged), AT, AT + forged.length).isPresent();
    }

    private long allocatedPerRecord(StateKey key) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        int records = 200;
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 0; i < records; i++) {
            encoder.encode(key, StateImage.ABSENT);
        }
        return (threads.getThreadAllocatedBytes(self) - before) / records;
    }

    private StateKey decode(String type) throws BadRecordException {
        byte[] record = encode(key(type), new byte[1], null);
        return decoder.decodeHeader(placed(record), AT, AT + record.length).key();
    }

    private void assertForgeryRefused(byte[] record, Consumer<ByteBuffer> change, String reason) {
        byte[] forged = record.clone();
        change.accept(buffer(forged));
        int length = buffer(forged).getInt(RecordFormat.LENGTH_OFFSET);
        int signed = length >= RecordFormat.LENGTH_OFFSET && length <= forged.length ? length : forged.length;
        CRC32C crc = new CRC32C();
        crc.update(STORE_ID);
        crc.update(forged, RecordFormat.LENGTH_OFFSET, signed - RecordFormat.LENGTH_OFFSET);
        buffer(forged).putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
        assertRefused(forged, forged.length, reason);
    }

    private void assertRefused(byte[] record, int bytes, String reason) {
        assertThatThrownBy(() -> decoder.decodeHeader(placed(record), AT, AT + bytes))
                .isInstanceOf(BadRecordException.class)
                .hasMessageStartingWith(reason);
    }

    private byte[] encode(StateKey key, byte[] committed, byte[] shadow) {
        return encoder.encode(key, StateImage.of(committed, shadow, false));
    }

    private static StateKey key(String type) {
        return StateKey.of(type, ObjectId.of(new byte[] {7}));
    }

    /** The record behind bytes of something else. */
    private static byte[] placed(byte[] record) {
        byte[] larger = new byte[AT + record.length + AT];
        Arrays.fill(larger, (byte) 0x55);
        System.arraycopy(record, 0, larger, AT, record.length);
        return larger;
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(RecordFormat.ORDER);
    }
}

package io.tallystick.store.journal.segment;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Decodes any bytes as a record. They are refused with a reason, or they are a record: its key and image, encoded
 * again, are decoded as the same. Nothing else is thrown.
 */
final class RecordCheck {
    private final RecordDecoder decoder = new RecordDecoder(SoundJournalInputs.STORE_ID);
    private final RecordEncoder encoder = new RecordEncoder(SoundJournalInputs.STORE_ID);

    /**
     * The target of the fuzzer {@code testkit/fuzz record}. The first byte decides whether length and checksum are
     * made to fit; without that, hardly an input would pass the checksum.
     */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] record = new byte[input.length - 1];
        System.arraycopy(input, 1, record, 0, record.length);
        if ((input[0] & 1) != 0 && record.length >= RecordFormat.HEADER_BYTES) {
            if ((input[0] & 2) == 0) {
                ByteBuffer.wrap(record).order(RecordFormat.ORDER).putInt(RecordFormat.LENGTH_OFFSET, record.length);
            }
            JournalFiles.signRecord(record, 0, SoundJournalInputs.STORE_ID);
        }
        new RecordCheck().isRecord(record);
    }

    /**
     * Whether the bytes are a record.
     *
     * @throws AssertionError they are taken for a record and are none, or the refusal has no reason
     */
    boolean isRecord(byte[] input) {
        try {
            RecordDecoder.Header header = decoder.decodeHeader(input, 0, input.length);
            check(header.length() >= RecordFormat.HEADER_BYTES && header.length() <= input.length, header);
            check(StateKey.parse(header.key().toString()).equals(header.key()), header);
            StateImage image = RecordDecoder.imageOf(input, 0, header);
            check(image.bytes() < header.length(), header);
            byte[] again = encoder.encode(header.key(), image);
            check(again.length == header.length(), header);
            check(decoder.decodeHeader(again, 0, again.length).equals(header), header);
            check(isSame(RecordDecoder.imageOf(again, 0, header), image), header);
            return true;
        } catch (RecordDecoder.BadRecordException refused) {
            if (refused.getMessage().isBlank()) {
                throw new AssertionError("refused without a reason", refused);
            }
            return false;
        }
    }

    private static boolean isSame(StateImage one, StateImage other) {
        return Arrays.equals(one.committed(), other.committed())
                && Arrays.equals(one.shadow(), other.shadow())
                && one.isHidden() == other.isHidden();
    }

    private static void check(boolean holds, RecordDecoder.Header header) {
        if (!holds) {
            throw new AssertionError("taken for " + header);
        }
    }
}

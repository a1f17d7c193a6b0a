package io.tallystick.store.journal.inspect;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.journal.segment.SegmentHeader;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Finds the whole records in damaged batches. A batch is known by its header; where that is damaged too, by its place:
 * where the batch before it ends, the next one begins. No other place is searched, because a stored state may look like
 * a record.
 */
final class SegmentSalvage {
    private final DiskFile file;
    private final SegmentHeader header;
    private final RecordDecoder decoder;
    private final Finds finds;

    /** Gets the finds, in the order of the file. */
    interface Finds {
        /** A record that is whole. */
        void record(long position, RecordDecoder.Header record, byte[] bytes, int offset);

        /**
         * A place where a record was.
         *
         * @param claimedKey the key that the damaged bytes have
         */
        void lost(long position, Optional<StateKey> claimedKey, String reason);
    }

    SegmentSalvage(DiskFile file, SegmentHeader header, byte[] storeId, Finds finds) {
        this.file = file;
        this.header = header;
        this.decoder = new RecordDecoder(storeId);
        this.finds = finds;
    }

    /**
     * Searches blocks in which no valid batch begins.
     *
     * @param from where the batch before them ends
     * @param isDamagedBatch whether a batch that was acknowledged begins at {@code from}, header or not
     * @param wasAcknowledged whether the batch of this sequence was acknowledged and has not been found
     */
    void search(long from, long to, boolean isDamagedBatch, LongPredicate wasAcknowledged) throws IOException {
        long position = from;
        while (position + SegmentFormat.BATCH_HEADER_BYTES <= to) {
            ByteBuffer batch = bytes(position, SegmentFormat.BATCH_HEADER_BYTES);
            boolean isOfThisLife = batch.getLong(SegmentFormat.BATCH_SALT_OFFSET) == header.salt()
                    && batch.getLong(SegmentFormat.BATCH_SEGMENT_ID_OFFSET) == header.segmentId()
                    && batch.getLong(SegmentFormat.BATCH_POSITION_OFFSET) == position;
            long end = position + header.blockBytes();
            if (isOfThisLife && wasAcknowledged.test(batch.getLong(SegmentFormat.BATCH_SEQUENCE_OFFSET))) {
                int length = batch.getInt(SegmentFormat.BATCH_LENGTH_OFFSET);
                boolean isLengthPossible =
                        length >= SegmentFormat.BATCH_HEADER_BYTES && length <= header.segmentBytes() - position;
                end = walk(position, isLengthPossible ? position + length : to);
            } else if (position == from && isDamagedBatch) {
                end = walk(position, to);
            }
            position += SegmentFormat.aligned(Math.max(end - position, 1), header.blockBytes());
        }
    }

    /** Takes the records behind a batch header, and returns where they end or can be followed no further. */
    private long walk(long batch, long limit) throws IOException {
        long position = batch + SegmentFormat.BATCH_HEADER_BYTES;
        while (position + RecordFormat.HEADER_BYTES <= limit) {
            int length = bytes(position, RecordFormat.HEADER_BYTES).getInt(RecordFormat.LENGTH_OFFSET);
            if (length == 0) {
                return position; // padding
            }
            if (length < RecordFormat.HEADER_BYTES
                    || length % RecordFormat.ALIGNMENT != 0
                    || length > limit - position) {
                int rest = (int) Math.min(
                        limit - position, RecordFormat.HEADER_BYTES + StateKey.MAX_TYPE_BYTES + ObjectId.MAX_BYTES);
                finds.lost(
                        position,
                        decoder.claimedKey(bytes(position, rest).array(), 0, rest),
                        "a record's length is damaged, so those behind it in its batch cannot be found");
                return position;
            }
            byte[] record = bytes(position, length).array();
            try {
                finds.record(position, decoder.decodeHeader(record, 0, length), record, 0);
            } catch (RecordDecoder.BadRecordException bad) {
                finds.lost(position, decoder.claimedKey(record, 0, length), bad.getMessage());
            }
            position += length;
        }
        return position;
    }

    private ByteBuffer bytes(long position, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(SegmentFormat.ORDER);
        file.readFully(bytes, position);
        return bytes;
    }
}

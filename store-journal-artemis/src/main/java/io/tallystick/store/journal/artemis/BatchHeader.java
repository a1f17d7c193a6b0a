package io.tallystick.store.journal.artemis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The header of a batch: an event record of the Artemis journal. The journal's loader skips it. Its checksum covers
 * every byte of the batch. So a batch is valid as a whole or not at all.
 *
 * @param length bytes of the batch from the first of its event record to the last of its last record
 * @param records how many records follow the event record
 * @param fileId the id of the file's life that the batch belongs to
 * @param position where in the file the batch begins, bytes
 * @param sequence one more than that of the batch before
 * @param nextRecordId no record up to this batch has this id or a higher one
 * @param files in the first batch of a file, the other files that hold batches and the last sequence in each
 */
record BatchHeader(
        int length, int records, long fileId, int position, long sequence, long nextRecordId, Map<Long, Long> files) {

    /** Bytes of the event record. */
    int headerBytes() {
        return ArtemisFormat.batchHeaderBytes(files.size());
    }

    /** The body of the event record, the checksum not yet in it. */
    byte[] encodedBody(byte[] storeId) {
        int base = ArtemisFormat.RECORD_BODY_OFFSET;
        ByteBuffer body = ByteBuffer.allocate(
                        ArtemisFormat.BATCH_BODY_BYTES + files.size() * ArtemisFormat.BATCH_FILE_BYTES)
                .order(ArtemisFormat.ORDER);
        body.putInt(ArtemisFormat.BATCH_MAGIC_OFFSET - base, ArtemisFormat.BATCH_MAGIC);
        body.putInt(ArtemisFormat.BATCH_LENGTH_OFFSET - base, length);
        body.putInt(ArtemisFormat.BATCH_COUNT_OFFSET - base, records);
        body.put(ArtemisFormat.BATCH_STORE_ID_OFFSET - base, storeId);
        body.putLong(ArtemisFormat.BATCH_FILE_ID_OFFSET - base, fileId);
        body.putLong(ArtemisFormat.BATCH_SEQUENCE_OFFSET - base, sequence);
        body.putLong(ArtemisFormat.BATCH_NEXT_RECORD_ID_OFFSET - base, nextRecordId);
        body.putInt(ArtemisFormat.BATCH_FILE_COUNT_OFFSET - base, files.size());
        body.putInt(ArtemisFormat.BATCH_POSITION_OFFSET - base, position);
        body.position(ArtemisFormat.BATCH_FILES_OFFSET - base);
        files.forEach((id, last) -> body.putLong(id).putLong(last));
        return body.array();
    }

    /**
     * The header of the batch that begins at {@code offset}; null if no batch begins there, or it is damaged.
     *
     * @param source a file from its beginning
     * @param limit the offset that no batch may reach beyond
     */
    static BatchHeader decode(ByteBuffer source, int offset, int limit, byte[] storeId) {
        int room = limit - offset;
        int least = ArtemisFormat.batchHeaderBytes(0);
        if (room < least) {
            return null;
        }
        ByteBuffer ours = source.duplicate().order(ArtemisFormat.ORDER);
        if (ours.getInt(offset + ArtemisFormat.BATCH_MAGIC_OFFSET) != ArtemisFormat.BATCH_MAGIC) {
            return null;
        }
        int length = ours.getInt(offset + ArtemisFormat.BATCH_LENGTH_OFFSET);
        int fileCount = ours.getInt(offset + ArtemisFormat.BATCH_FILE_COUNT_OFFSET);
        if (length < least
                || length > room
                || fileCount < 0
                || fileCount > (length - least) / ArtemisFormat.BATCH_FILE_BYTES) {
            return null;
        }
        if (ours.getInt(offset + ArtemisFormat.BATCH_CRC_OFFSET) != checksum(source, offset, length)) {
            return null;
        }
        byte[] found = new byte[storeId.length];
        ours.get(offset + ArtemisFormat.BATCH_STORE_ID_OFFSET, found);
        if (!Arrays.equals(found, storeId)) {
            return null;
        }
        Map<Long, Long> files = new LinkedHashMap<>();
        for (int i = 0; i < fileCount; i++) {
            int at = offset + ArtemisFormat.BATCH_FILES_OFFSET + i * ArtemisFormat.BATCH_FILE_BYTES;
            files.put(ours.getLong(at), ours.getLong(at + Long.BYTES));
        }
        BatchHeader header = new BatchHeader(
                length,
                ours.getInt(offset + ArtemisFormat.BATCH_COUNT_OFFSET),
                ours.getLong(offset + ArtemisFormat.BATCH_FILE_ID_OFFSET),
                ours.getInt(offset + ArtemisFormat.BATCH_POSITION_OFFSET),
                ours.getLong(offset + ArtemisFormat.BATCH_SEQUENCE_OFFSET),
                ours.getLong(offset + ArtemisFormat.BATCH_NEXT_RECORD_ID_OFFSET),
                files);
        boolean isConsistent = files.size() == fileCount && header.position == offset;
        return isConsistent && header.isFramedAs(source, offset) ? header : null;
    }

    /** Whether a batch of this life of a file begins here, be it whole or not. */
    static boolean isOfLife(ByteBuffer source, int offset, int end, long fileId, byte[] storeId) {
        if (end - offset < ArtemisFormat.batchHeaderBytes(0)) {
            return false;
        }
        ByteBuffer ours = source.duplicate().order(ArtemisFormat.ORDER);
        byte[] found = new byte[storeId.length];
        ours.get(offset + ArtemisFormat.BATCH_STORE_ID_OFFSET, found);
        return ours.getLong(offset + ArtemisFormat.BATCH_FILE_ID_OFFSET) == fileId && Arrays.equals(found, storeId);
    }

    /** Whether Artemis' frame round the header has the same ids and lengths as the header. */
    private boolean isFramedAs(ByteBuffer source, int offset) {
        ByteBuffer artemis = source.duplicate().order(ByteOrder.BIG_ENDIAN);
        return artemis.get(offset + ArtemisFormat.RECORD_TYPE_OFFSET) == JournalImpl.EVENT_RECORD
                && artemis.getInt(offset + ArtemisFormat.RECORD_FILE_ID_OFFSET) == ArtemisFormat.recordFileId(fileId)
                && artemis.getLong(offset + ArtemisFormat.RECORD_ID_OFFSET) == sequence
                && artemis.getInt(offset + ArtemisFormat.RECORD_BODY_LENGTH_OFFSET)
                        == headerBytes() - ArtemisFormat.ADD_FRAME_BYTES
                && artemis.get(offset + ArtemisFormat.RECORD_USER_TYPE_OFFSET) == ArtemisFormat.BATCH_TYPE;
    }

    /** The checksum over a whole batch, without the place of the checksum itself. */
    static int checksum(ByteBuffer source, int offset, int length) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = source.duplicate();
        int at = offset + ArtemisFormat.BATCH_CRC_OFFSET;
        crc.update(bytes.clear().limit(at).position(offset));
        crc.update(bytes.clear().limit(offset + length).position(at + Integer.BYTES));
        return (int) crc.getValue();
    }
}

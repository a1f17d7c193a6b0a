package io.tallystick.store.postgresql;

import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.log.spi.Version;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a batch's row, little-endian: a header, then the records one after the other. The header repeats the
 * columns of the row, because a checksum covers it.
 *
 * <pre>
 *   0  u32  CRC32C over the 16 bytes of the store's id and bytes 4 to 52
 *   4  u32  records
 *   8  u64  sequence of the batch
 *  16  u64  epoch of its owner
 *  24  u64  sequence that this epoch began with
 *  32  u64  all batches of the epoch up to this sequence were written
 *  40  u64  all batches below this sequence were deleted
 *  48  u32  bytes of the records
 *  52  ...  records, each with a checksum of its own: see docs/format/journal-v1.md
 * </pre>
 */
final class BatchBody {
    static final int HEADER_BYTES = 52;

    private static final int CRC_FROM = 4;

    private BatchBody() {}

    /**
     * The header.
     *
     * @param records how many
     * @param sequence of the batch
     * @param epoch of its owner
     * @param epochBegin the first sequence of the epoch
     * @param durable all of the epoch up to it were written
     * @param oldest all below it were deleted
     */
    record Header(int records, long sequence, long epoch, long epochBegin, long durable, long oldest) {}

    /** The bytes of a batch: this header, and the records of the chain that begins with {@code first}. */
    static byte[] encode(byte[] storeId, Header header, Version first, int recordBytes) {
        ByteBuffer body = ByteBuffer.allocate(HEADER_BYTES + recordBytes).order(RecordFormat.ORDER);
        body.putInt(0).putInt(header.records()).putLong(header.sequence()).putLong(header.epoch());
        body.putLong(header.epochBegin()).putLong(header.durable()).putLong(header.oldest());
        body.putInt(recordBytes);
        body.putInt(0, crc(storeId, body));
        Version append = first;
        for (int i = 0; i < header.records(); i++) {
            body.put(append.record());
            append = append.next();
        }
        return body.array();
    }

    /** The header of these bytes; null where it is damaged, or of another store. */
    static Header decode(byte[] storeId, ByteBuffer body) {
        if (body.capacity() < HEADER_BYTES
                || body.getInt(0) != crc(storeId, body)
                || body.getInt(48) != body.capacity() - HEADER_BYTES) {
            return null;
        }
        return new Header(
                body.getInt(4),
                body.getLong(8),
                body.getLong(16),
                body.getLong(24),
                body.getLong(32),
                body.getLong(40));
    }

    private static int crc(byte[] storeId, ByteBuffer body) {
        CRC32C crc = new CRC32C();
        crc.update(storeId);
        crc.update(body.duplicate().limit(HEADER_BYTES).position(CRC_FROM));
        return (int) crc.getValue();
    }
}

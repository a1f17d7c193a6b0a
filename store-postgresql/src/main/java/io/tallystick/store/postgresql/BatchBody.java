package io.tallystick.store.postgresql;

import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.log.spi.Version;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a batch's row, little-endian: a header, then the records one after the other.
 *
 * <pre>
 *   0  u32  CRC32C over the 16 bytes of the store's id and bytes 4 to 28
 *   4  u32  records
 *   8  u64  sequence of the batch
 *  16  u64  sequence that the epoch of the batch began with
 *  24  u32  bytes of the records
 *  28  ...  records, each with a checksum of its own: see docs/format/journal-v1.md
 * </pre>
 */
final class BatchBody {
    static final int HEADER_BYTES = 28;

    private static final int CRC_FROM = 4;

    private BatchBody() {}

    /**
     * What a header says.
     *
     * @param records how many
     * @param sequence of the batch
     * @param epochBegin the first sequence of its epoch
     */
    record Header(int records, long sequence, long epochBegin) {}

    /** The bytes of the first {@code count} appends of a chain. */
    static byte[] encode(byte[] storeId, long sequence, long epochBegin, Version first, int count, int recordBytes) {
        ByteBuffer body = ByteBuffer.allocate(HEADER_BYTES + recordBytes).order(RecordFormat.ORDER);
        body.putInt(0).putInt(count).putLong(sequence).putLong(epochBegin).putInt(recordBytes);
        body.putInt(0, crc(storeId, body));
        Version append = first;
        for (int i = 0; i < count; i++) {
            body.put(append.record());
            append = append.next();
        }
        return body.array();
    }

    /** What the header says; null where it is damaged, or of another store. */
    static Header decode(byte[] storeId, ByteBuffer body) {
        if (body.capacity() < HEADER_BYTES || body.getInt(0) != crc(storeId, body)) {
            return null;
        }
        return body.getInt(24) == body.capacity() - HEADER_BYTES
                ? new Header(body.getInt(4), body.getLong(8), body.getLong(16))
                : null;
    }

    private static int crc(byte[] storeId, ByteBuffer body) {
        CRC32C crc = new CRC32C();
        crc.update(storeId);
        crc.update(body.duplicate().limit(HEADER_BYTES).position(CRC_FROM));
        return (int) crc.getValue();
    }
}

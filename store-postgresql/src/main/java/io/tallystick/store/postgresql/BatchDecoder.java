package io.tallystick.store.postgresql;

import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Decodes the rows of one log and trusts nothing in them; for the opening, which refuses at the first damage, and for
 * the inspection, which goes on. Not for several threads at once.
 */
final class BatchDecoder {
    /** What a query selects for {@link #decode}, in this order. */
    static final String COLUMNS = "seq, epoch, durable, oldest, body";

    private final byte[] storeId;
    private final RecordDecoder records;

    BatchDecoder(byte[] storeId) {
        this.storeId = storeId.clone();
        this.records = new RecordDecoder(storeId);
    }

    /**
     * A row whose header fits.
     *
     * @param body header and records
     */
    record Batch(BatchBody.Header header, ByteBuffer body) {}

    /** Takes the records of a batch in their order. */
    interface Receiver {
        /** @param offset of the record in the body, bytes */
        void take(RecordDecoder.Header record, int offset);
    }

    /** A row is not as it was written; the message says what differs. */
    static final class DamagedBatchException extends Exception {
        private static final long serialVersionUID = 1L;

        private final int offset;

        DamagedBatchException(int offset, String reason) {
            super(reason);
            this.offset = offset;
        }

        /** Where in the body, bytes. */
        int offset() {
            return offset;
        }
    }

    /**
     * Decodes the header, which must say the same as the columns of the row.
     *
     * @param row with the {@link #COLUMNS}
     */
    Batch decode(ResultSet row) throws SQLException, DamagedBatchException {
        ByteBuffer body = ByteBuffer.wrap(row.getBytes(5)).order(RecordFormat.ORDER);
        BatchBody.Header header = BatchBody.decode(storeId, body);
        if (header == null
                || header.sequence() != row.getLong(1)
                || header.epoch() != row.getLong(2)
                || header.durable() != row.getLong(3)
                || header.oldest() != row.getLong(4)) {
            throw new DamagedBatchException(0, "its header is damaged, or it belongs to another log");
        }
        return new Batch(header, body);
    }

    /** Hands the records over, up to the first one that is damaged. */
    void records(Batch batch, Receiver receiver) throws DamagedBatchException {
        ByteBuffer body = batch.body();
        int offset = BatchBody.HEADER_BYTES;
        for (int i = 0; i < batch.header().records(); i++) {
            RecordDecoder.Header record;
            try {
                record = records.decodeHeader(body.array(), offset, body.capacity());
            } catch (RecordDecoder.BadRecordException bad) {
                throw new DamagedBatchException(
                        offset, "the record at byte " + offset + " is damaged: " + bad.getMessage());
            }
            receiver.take(record, offset);
            offset += record.length();
        }
        if (offset != body.capacity()) {
            throw new DamagedBatchException(offset, "it has bytes behind its last record");
        }
    }
}

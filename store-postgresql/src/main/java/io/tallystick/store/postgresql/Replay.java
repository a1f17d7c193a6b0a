package io.tallystick.store.postgresql;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.store.log.spi.Version;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads a log: all batches in the order of their sequences; the last record of a key counts. Checks that nothing is
 * missing that was acknowledged. A batch says up to which sequence of its epoch all batches were written. A batch
 * says also from which sequence on they were not deleted. So between these two there is no hole.
 *
 * <p>A batch below is left out. The server may go on with a statement whose connection had ended: its batch was
 * resolved as not written, written again, and deleted since. What removed its records is deleted too. The next order to
 * delete begins at the lowest sequence that is there, so it goes as well.
 */
final class Replay {
    private static final int ROWS_AT_A_TIME = 32;
    private static final String REMEDY =
            "nothing was changed; restore the database from a backup of a time when it was whole";

    private final PostgresOptions options;
    private final byte[] storeId;
    private final RecordDecoder decoder;
    private final ConcurrentHashMap<StateKey, Version> index;
    private final long rangeBytes;

    /** The sequences of one epoch: the first, those that are there, and up to where none may be missing. */
    private static final class Epoch {
        private final long begin;
        private final TreeSet<Long> present = new TreeSet<>();
        private long durable;

        Epoch(long begin) {
            this.begin = begin;
        }
    }

    /**
     * What was found.
     *
     * @param ranges of the log
     * @param lastSequence the highest one; 0 where there is no batch
     * @param liveBytes of living records
     */
    record Result(Ranges ranges, long lastSequence, long liveBytes) {}

    /** @param index filled with the latest version of each key */
    Replay(PostgresOptions options, byte[] storeId, ConcurrentHashMap<StateKey, Version> index, long rangeBytes) {
        this.options = options;
        this.storeId = storeId;
        this.decoder = new RecordDecoder(storeId);
        this.index = index;
        this.rangeBytes = rangeBytes;
    }

    /**
     * Reads the batches of a log.
     *
     * @throws CorruptStoreException a batch is damaged or missing
     */
    Result read(Connection connection, long logId) throws SQLException {
        Map<Long, Epoch> epochs = new TreeMap<>();
        Map<StateKey, SequenceRange> homes = new HashMap<>();
        Ranges ranges = null;
        long last = 0;
        long oldest = oldest(connection, logId);
        connection.setAutoCommit(false); // the driver fetches some rows at a time only within a transaction
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT seq, epoch, durable, oldest, body FROM tallystick_batch WHERE log_id = ? ORDER BY seq")) {
            query.setLong(1, logId);
            query.setFetchSize(ROWS_AT_A_TIME);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    last = row.getLong(1);
                    if (ranges == null) {
                        ranges = new Ranges(rangeBytes, last);
                    }
                    ByteBuffer body = ByteBuffer.wrap(row.getBytes(5)).order(RecordFormat.ORDER);
                    BatchBody.Header header = headerOf(body, row);
                    if (last < oldest) {
                        continue;
                    }
                    Epoch epoch = epochs.computeIfAbsent(header.epoch(), number -> new Epoch(header.epochBegin()));
                    epoch.present.add(last);
                    epoch.durable = Math.max(epoch.durable, header.durable());
                    decode(body, header, ranges.forBatch(last, body.capacity()), homes);
                }
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        for (Epoch epoch : epochs.values()) {
            checkWhole(epoch, oldest);
        }
        homes.values().forEach(SequenceRange::becameLive);
        long live = index.values().stream().mapToLong(Version::recordLength).sum();
        return new Result(ranges == null ? new Ranges(rangeBytes, 1) : ranges, last, live);
    }

    /** Below this all batches were deleted. */
    private static long oldest(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT coalesce(max(oldest), 0) FROM tallystick_batch WHERE log_id = ?")) {
            query.setLong(1, logId);
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getLong(1);
            }
        }
    }

    /** The header, which must say the same as the columns of the row. */
    private BatchBody.Header headerOf(ByteBuffer body, ResultSet row) throws SQLException {
        BatchBody.Header header = BatchBody.decode(storeId, body);
        if (header == null
                || header.sequence() != row.getLong(1)
                || header.epoch() != row.getLong(2)
                || header.durable() != row.getLong(3)
                || header.oldest() != row.getLong(4)) {
            throw damaged(row.getLong(1), "its header is damaged, or it belongs to another log");
        }
        return header;
    }

    private void decode(
            ByteBuffer body, BatchBody.Header header, SequenceRange range, Map<StateKey, SequenceRange> homes) {
        int offset = BatchBody.HEADER_BYTES;
        for (int i = 0; i < header.records(); i++) {
            RecordDecoder.Header record = recordAt(body, offset, header.sequence());
            if (record.flags() == 0) {
                index.remove(record.key());
                homes.remove(record.key());
            } else {
                byte[] bytes = new byte[record.length()];
                body.get(offset, bytes);
                index.put(record.key(), Version.recovered(record, bytes, range, header.sequence()));
                homes.put(record.key(), range);
            }
            offset += record.length();
        }
        if (offset != body.capacity()) {
            throw damaged(header.sequence(), "it has bytes behind its last record");
        }
    }

    private RecordDecoder.Header recordAt(ByteBuffer body, int offset, long sequence) {
        try {
            return decoder.decodeHeader(body, offset, body.capacity());
        } catch (RecordDecoder.BadRecordException bad) {
            throw damaged(sequence, "the record at byte " + offset + " is damaged: " + bad.getMessage());
        }
    }

    private void checkWhole(Epoch epoch, long oldest) {
        long from = Math.max(epoch.begin, oldest);
        long expected = epoch.durable - from + 1;
        if (expected > 0
                && epoch.present.subSet(from, true, epoch.durable, true).size() != expected) {
            long missing = from;
            while (epoch.present.contains(missing)) {
                missing++;
            }
            throw damaged(missing, "it is missing, and it was acknowledged");
        }
    }

    private CorruptStoreException damaged(long sequence, String reason) {
        return CorruptStoreException.inRemoteLog(options.place() + " batch=" + sequence, reason, REMEDY);
    }
}

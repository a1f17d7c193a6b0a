package io.tallystick.store.postgresql;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads a log: all batches in the order of their sequences; the last record of a key counts. Checks that nothing is
 * missing that was acknowledged ({@link EpochAudit}).
 *
 * <p>A batch below the lowest one that was not deleted is left out. The server may go on with a statement whose
 * connection had ended: its batch was resolved as not written, written again, and deleted since. What removed its
 * records is deleted too. The next order to delete begins at the lowest sequence that is there, so it goes as well.
 */
final class Replay {
    private static final String REMEDY =
            "nothing was changed; restore the database from a backup of a time when it was whole";

    private final PostgresOptions options;
    private final BatchDecoder decoder;
    private final ConcurrentHashMap<StateKey, Version> index;
    private final long rangeBytes;

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
        this.decoder = new BatchDecoder(storeId);
        this.index = index;
        this.rangeBytes = rangeBytes;
    }

    /**
     * Reads the batches of a log.
     *
     * @param own who has taken the log; batches are of earlier epochs
     * @throws CorruptStoreException a batch is damaged or missing
     * @throws IOException another owner has taken the log, or this server does not know that this one has
     */
    Result read(Connection connection, long logId, LogOwner own) throws SQLException, IOException {
        EpochAudit audit = new EpochAudit();
        Map<StateKey, SequenceRange> homes = new HashMap<>();
        Ranges ranges = null;
        long last = 0;
        long oldest;
        // The driver fetches some rows at a time only within a transaction. The caller closes the connection, which
        // ends it.
        connection.setAutoCommit(false);
        try (Statement isolation = connection.createStatement();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT " + BatchDecoder.COLUMNS + " FROM tallystick_batch WHERE log_id = ? ORDER BY seq")) {
            // Of one moment at which the log was this owner's, on the server that knows it.
            isolation.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            Optional<LogOwner> owner = LogOwner.find(connection, logId);
            if (!owner.equals(Optional.of(own))) {
                throw LogTaken.error(options, own, owner);
            }
            oldest = Acknowledged.oldest(connection, logId);
            query.setLong(1, logId);
            query.setFetchSize(options.rowsAtATime());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    last = row.getLong(1);
                    if (ranges == null) {
                        ranges = new Ranges(rangeBytes, last);
                    }
                    BatchDecoder.Batch batch = decoder.decode(row);
                    if (batch.header().epoch() >= own.epoch()) {
                        throw damaged(
                                last,
                                "it is of epoch " + batch.header().epoch() + ", and the log had epoch "
                                        + (own.epoch() - 1) + ": a part of the database went back in time");
                    }
                    if (last < oldest) {
                        continue;
                    }
                    audit.add(batch.header());
                    decode(batch, ranges.forBatch(last, batch.body().capacity()), homes);
                }
            }
        } catch (BatchDecoder.DamagedBatchException damage) {
            throw damaged(last, damage.getMessage());
        }
        for (EpochAudit.Gap gap : audit.gaps(oldest)) {
            throw damaged(gap.first(), "it is missing, and it was acknowledged");
        }
        homes.values().forEach(SequenceRange::becameLive);
        long live = index.values().stream().mapToLong(Version::recordLength).sum();
        return new Result(ranges == null ? new Ranges(rangeBytes, 1) : ranges, last, live);
    }

    private void decode(BatchDecoder.Batch batch, SequenceRange range, Map<StateKey, SequenceRange> homes)
            throws BatchDecoder.DamagedBatchException {
        decoder.records(batch, (record, offset) -> {
            if (record.flags() == 0) {
                index.remove(record.key());
                homes.remove(record.key());
            } else {
                byte[] bytes = new byte[record.length()];
                batch.body().get(offset, bytes);
                index.put(
                        record.key(),
                        Version.recovered(record, bytes, range, batch.header().sequence()));
                homes.put(record.key(), range);
            }
        });
    }

    private CorruptStoreException damaged(long sequence, String reason) {
        return CorruptStoreException.inRemoteLog(options.place() + " batch=" + sequence, reason, REMEDY);
    }
}

package io.tallystick.store.postgresql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The last batch of each lane that was acknowledged. The log of the server is one sequence. So a server that lacks any
 * acknowledged batch lacks one of these: the one that came last. A batch that is not there may also have been deleted
 * in order; then a later one says so. Any thread.
 */
final class Acknowledged {
    private final AtomicLongArray lastOfLane;
    private volatile boolean hasEarlier;

    Acknowledged(int lanes) {
        lastOfLane = new AtomicLongArray(lanes);
    }

    /** Notes that a batch of a lane is acknowledged, or is about to be. */
    void add(int lane, long sequence) {
        lastOfLane.set(lane, sequence);
    }

    /** Notes whether owners before this one have left batches; until the log is read, whether they may have. */
    void setEarlier(boolean isThere) {
        hasEarlier = isThere;
    }

    /** Whether there is anything that a database could have lost: a batch of this owner, or of one before it. */
    boolean hasAny() {
        return hasEarlier || last().length > 0;
    }

    /** The sequences that have to be there, or to be deleted in order. To be asked for before looking for them. */
    Long[] last() {
        List<Long> sequences = new ArrayList<>();
        for (int lane = 0; lane < lastOfLane.length(); lane++) {
            long sequence = lastOfLane.get(lane);
            if (sequence != 0) {
                sequences.add(sequence);
            }
        }
        return sequences.toArray(Long[]::new);
    }

    /**
     * Checks that the database has these batches.
     *
     * @throws IOException it has lost some of them
     */
    void check(Connection connection, long logId, Long[] sequences, PostgresOptions options)
            throws SQLException, IOException {
        if (sequences.length == 0) {
            return; // a beat must not wait for a lock of the table
        }
        List<Long> missing = missing(connection, logId, sequences);
        if (missing.isEmpty()) {
            return;
        }
        long oldest = oldest(connection, logId);
        missing.removeIf(sequence -> sequence < oldest);
        if (!missing.isEmpty()) {
            throw new LostBatchesException(
                    "the database of " + options.place() + " has lost batches that it had acknowledged: sequence "
                            + missing.get(missing.size() - 1) + " was written, and it is not there; a standby that lags"
                            + " was made the primary, or a backup was restored. Find the server that has them before"
                            + " you go on");
        }
    }

    private static List<Long> missing(Connection connection, long logId, Long[] sequences) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT seq FROM unnest(?::bigint[]) AS seq"
                + " WHERE NOT EXISTS (SELECT 1 FROM tallystick_batch b WHERE b.log_id = ? AND b.seq = seq.seq)"
                + " ORDER BY seq")) {
            query.setArray(1, connection.createArrayOf("bigint", sequences));
            query.setLong(2, logId);
            List<Long> missing = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    missing.add(row.getLong(1));
                }
            }
            return missing;
        }
    }

    /**
     * Below this sequence all batches were deleted; 0 if none were. A batch never says that itself or a later one was
     * deleted. So only batches from there on, where the newest one says that they begin, can say more than it does. The
     * dead rows below are not walked.
     */
    static long oldest(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT coalesce(max(oldest), 0)"
                + " FROM tallystick_batch WHERE log_id = ? AND seq >= (SELECT oldest FROM tallystick_batch"
                + " WHERE log_id = ? ORDER BY seq DESC LIMIT 1)")) {
            query.setLong(1, logId);
            query.setLong(2, logId);
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getLong(1);
            }
        }
    }
}

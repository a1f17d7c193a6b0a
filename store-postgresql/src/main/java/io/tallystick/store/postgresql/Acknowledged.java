package io.tallystick.store.postgresql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * The last batch of each lane that was acknowledged, and the last one of the owners before. The log of the server is
 * one sequence. So a server that lacks any acknowledged batch lacks one of these: the one that came last. A batch that
 * is not there may also have been deleted in order; then a later one says so. Any thread.
 *
 * <p>A hand that empties the table is another matter: later batches are there again. They say from which sequence on
 * nothing was deleted in order, and up to which all were written. So the first of these has to be there. A hand that
 * deletes others may be noticed when the log is read.
 */
final class Acknowledged {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String NEWEST = " FROM tallystick_batch WHERE log_id = ? ORDER BY seq DESC LIMIT 1";

    private static final String OLDEST = "SELECT coalesce(max(oldest), 0) AS oldest FROM tallystick_batch"
            + " WHERE log_id = ? AND seq >= (SELECT oldest" + NEWEST + ")";

    /** Never more than {@link #OLDEST}, and sometimes less. It reads one row. */
    private static final String OLDEST_OF_NEWEST = "SELECT coalesce((SELECT oldest" + NEWEST + "), 0) AS oldest";

    /**
     * What is not there, of these sequences and of the first one of this epoch. Follows one of the two above. What the
     * batches of a later owner say of the sequences before it says nothing of that first one.
     */
    private static final String MISSING = ") SELECT seq FROM kept, (SELECT unnest(?::bigint[]) AS seq"
            + " UNION SELECT greatest(oldest, ?) FROM kept, (SELECT epoch, durable" + NEWEST + ") AS newest"
            + " WHERE epoch = ? AND greatest(oldest, ?) <= durable) AS wanted"
            + " WHERE seq >= oldest AND NOT EXISTS (SELECT 1 FROM tallystick_batch b"
            + " WHERE b.log_id = ? AND b.seq = wanted.seq) ORDER BY seq";

    private final AtomicReferenceArray<Written> lastOfLane;
    private volatile Written earlier;
    private volatile boolean hasEarlier;
    private volatile long epoch;
    private volatile long epochBegin;

    /** A batch, and the server that has said that it has it. */
    private record Written(long sequence, long server) {}

    Acknowledged(int lanes) {
        lastOfLane = new AtomicReferenceArray<>(lanes);
    }

    /**
     * Notes that a batch of a lane is in the log, so that everybody sees it there. Its callers may not know yet.
     *
     * @param server as {@link Connections#serverOf} names it
     */
    void add(int lane, long sequence, long server) {
        lastOfLane.set(lane, new Written(sequence, server));
    }

    /** Notes, until the log is read, whether owners before this one may have left batches. */
    void setEarlier(boolean mayBeThere) {
        hasEarlier = mayBeThere;
    }

    /**
     * Notes what was found when the log was read.
     *
     * @param lastSequence of owners before this one; 0 if they have left no batch
     * @param server where it was read
     * @param ownEpoch of this owner
     * @param firstSequence of this owner
     */
    void setEarlier(long lastSequence, long server, long ownEpoch, long firstSequence) {
        epoch = ownEpoch;
        epochBegin = firstSequence;
        hasEarlier = lastSequence > 0;
        earlier = hasEarlier ? new Written(lastSequence, server) : null;
    }

    /** Whether there is anything that a database could have lost: a batch of this owner, or of one before it. */
    boolean hasAny() {
        return hasEarlier || last().length > 0;
    }

    /** The sequences that have to be there, or to be deleted in order. To be asked for before looking for them. */
    Long[] last() {
        return last(written -> true);
    }

    /**
     * Those of {@link #last} that this server has acknowledged. The lanes may write to another one already, which was
     * promoted while this one stood still.
     */
    Long[] lastOn(long server) {
        return last(written -> written.server() == server);
    }

    private Long[] last(Predicate<Written> where) {
        List<Written> all = new ArrayList<>();
        for (int lane = 0; lane < lastOfLane.length(); lane++) {
            Written written = lastOfLane.get(lane);
            if (written != null) {
                all.add(written);
            }
        }
        Written before = earlier;
        if (before != null) {
            all.add(before);
        }
        return all.stream().filter(where).map(Written::sequence).toArray(Long[]::new);
    }

    /**
     * Checks that the database has these batches. Waits for a lock of the table.
     *
     * @throws IOException it has lost some of them
     */
    void check(Connection connection, long logId, Long[] sequences, PostgresOptions options)
            throws SQLException, IOException {
        check(connection, logId, sequences, options, "", "");
    }

    /**
     * As {@link #check}, and does not wait for a lock of the table.
     *
     * @return false if another session holds one, so that nothing is known
     * @throws IOException it has lost some of them
     */
    boolean checkAtOnce(Connection connection, long logId, Long[] sequences, PostgresOptions options)
            throws SQLException, IOException {
        try {
            // NOWAIT is about the lock of the table. REINDEX holds that of an index.
            String lock = "BEGIN; SET LOCAL lock_timeout = '100ms';"
                    + " LOCK TABLE tallystick_batch IN ACCESS SHARE MODE NOWAIT; ";
            check(connection, logId, sequences, options, lock, "; COMMIT");
            return true;
        } catch (SQLException trouble) {
            if (!LOCK_NOT_AVAILABLE.equals(trouble.getSQLState())) {
                throw trouble;
            }
            try (Statement ending = connection.createStatement()) {
                ending.execute("ROLLBACK");
            }
            return false;
        }
    }

    private void check(
            Connection connection, long logId, Long[] sequences, PostgresOptions options, String begin, String end)
            throws SQLException, IOException {
        if (sequences.length == 0) {
            return;
        }
        String quick = begin + "WITH kept AS (" + OLDEST_OF_NEWEST + MISSING + end;
        List<Long> missing = missing(connection, quick, 1, logId, sequences);
        if (!missing.isEmpty()) {
            String exact = begin + "WITH kept AS (" + OLDEST + MISSING + end;
            missing = missing(connection, exact, 2, logId, sequences);
        }
        if (!missing.isEmpty()) {
            throw new LostBatchesException(
                    "the database of " + options.place() + " has lost batches that it had acknowledged: sequence "
                            + missing.get(missing.size() - 1) + " was written, and it is not there; a standby that lags"
                            + " was made the primary, a backup was restored, or rows were deleted by hand. Find the"
                            + " server or the backup that has them before you go on");
        }
    }

    /** @param logs how often the log is asked for before the sequences are */
    private List<Long> missing(Connection connection, String request, int logs, long logId, Long[] sequences)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(request)) {
            int at = 0;
            while (at < logs) {
                query.setLong(++at, logId);
            }
            query.setArray(++at, connection.createArrayOf("bigint", sequences));
            query.setLong(++at, epochBegin);
            query.setLong(++at, logId);
            query.setLong(++at, epoch);
            query.setLong(++at, epochBegin);
            query.setLong(++at, logId);
            boolean hasRows = query.execute();
            while (!hasRows) { // BEGIN and LOCK have none
                if (query.getUpdateCount() < 0) {
                    throw new SQLException("an answer is missing");
                }
                hasRows = query.getMoreResults();
            }
            List<Long> missing = new ArrayList<>();
            try (ResultSet row = query.getResultSet()) {
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
        try (PreparedStatement query = connection.prepareStatement(OLDEST)) {
            query.setLong(1, logId);
            query.setLong(2, logId);
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getLong(1);
            }
        }
    }
}

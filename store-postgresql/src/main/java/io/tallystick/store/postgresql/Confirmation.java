package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Proves that commits are on a synchronous standby.
 *
 * <p>That a commit returned does not prove it. The server asks its shared memory whether a commit has to wait for a
 * standby. Only one process of the server, the checkpointer, brings new settings there, and it may be late. An
 * administrator may also empty {@code synchronous_standby_names} while a commit waits: the server lets it go without a
 * warning. So the proof is a position: a synchronous standby has flushed the log of the server up to a place behind the
 * commit.
 *
 * <p>The place must not be further behind than needed, because others write too. So a batch has two commits, in one
 * request.
 *
 * <pre>
 *   position      1000           1900           2000            2100
 *   batch ...     its commit     (others)       position asked  second commit, which waits for the standby
 *   standby                                                     has flushed 2100 when that returns: more than 2000
 * </pre>
 *
 * <p>The first commit waits for nothing, and lets go of the fence. The second one writes a lock only; it holds
 * no row back from anybody. Both go to the disk together.
 *
 * <p>A commit that waits by itself needs no second one. But the position is asked when the wait is over, and meanwhile
 * the other lane has written. A standby that has the batch seems to lack it then, and has to be asked again and again:
 * three to twelve times for each batch of two busy lanes, on a machine that was busy too.
 */
final class Confirmation {
    private static final long MAX_PAUSE_NANOS = Duration.ofMillis(50).toNanos();
    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(1).toNanos();

    /** How many standbys the setting demands: the number before its bracket, or one. */
    private static final String DEMANDED = "coalesce(substring(current_setting('synchronous_standby_names')"
            + " from '^[[:alpha:][:space:]]*([0-9]+)[[:space:]]*[(]')::int, 1)";

    /**
     * A place that as many synchronous standbys have reached as the setting demands; null where there are not so many,
     * or where they cannot be seen. A standby that was a primary and was not rewound names a place in its own past: it
     * is further than what it was sent.
     */
    private static final String CONFIRMED = "SELECT min((flush_lsn - '0/0')::bigint) FROM (SELECT flush_lsn"
            + " FROM pg_stat_get_wal_senders() WHERE sync_state IN ('sync', 'quorum') AND flush_lsn <= sent_lsn"
            + " ORDER BY flush_lsn DESC OFFSET " + DEMANDED + " - 1 LIMIT 1) AS hindmost";

    private static final String FLUSHED = "SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint";

    /**
     * What follows the statement of a batch, which comes after {@code BEGIN}, in the same request: the first commit,
     * the position, the second commit, and a look at the standbys. Its parameters are the log and the lane.
     * A key share lock writes to the log of the server, and stands in the way of nobody who changes the epoch.
     */
    static final String REST_OF_REQUEST = "COMMIT AND CHAIN; SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
            + " FROM tallystick_fence WHERE log_id = ? AND lane = ? FOR KEY SHARE; COMMIT; " + CONFIRMED;

    private Confirmation() {}

    /**
     * Returns when the batch of this request is on a standby.
     *
     * @param request was sent and answered, and its results up to that of the batch are read
     * @param askedAgain hears of each further question whether a standby has it
     * @throws Transaction.UnconfirmedException it may not be
     */
    static void confirm(Connection connection, PreparedStatement request, Runnable askedAgain) throws SQLException {
        try {
            long position = nextAnswer(request);
            awaitStandby(connection, position, nextAnswer(request), askedAgain);
        } catch (SQLException unanswered) {
            throw unconfirmed(unanswered);
        }
    }

    /** The first number of the next result that has rows. */
    private static long nextAnswer(PreparedStatement request) throws SQLException {
        while (!request.getMoreResults()) {
            if (request.getUpdateCount() < 0) {
                throw new SQLException("an answer is missing");
            }
        }
        try (ResultSet answer = request.getResultSet()) {
            answer.next();
            return answer.getLong(1);
        }
    }

    /**
     * Returns when everything that this connection has committed synchronously is on a standby.
     *
     * @throws Transaction.UnconfirmedException it may not be
     */
    static void confirmSynchronous(Connection connection) throws SQLException {
        try {
            awaitStandby(connection, ask(connection, FLUSHED), ask(connection, CONFIRMED), () -> {});
        } catch (SQLException unanswered) {
            throw unconfirmed(unanswered);
        }
    }

    /** Looks again where the standby is, for as long as the driver would wait for one answer. */
    private static void awaitStandby(Connection connection, long position, long confirmedFirst, Runnable askedAgain)
            throws SQLException {
        long left = Duration.ofMillis(connection.getNetworkTimeout()).toNanos();
        long pause = FIRST_PAUSE_NANOS;
        for (long confirmed = confirmedFirst; confirmed < position; confirmed = ask(connection, CONFIRMED)) {
            if (left <= 0) {
                throw new Transaction.UnconfirmedException(
                        confirmed == 0
                                ? "no standby is synchronous, or the user may not see it (pg_monitor)"
                                : "the synchronous standby is behind it");
            }
            askedAgain.run();
            LockSupport.parkNanos(connection, pause);
            left -= pause;
            pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
        }
    }

    private static long ask(Connection connection, String question) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(question);
                ResultSet answer = query.executeQuery()) {
            answer.next();
            return answer.getLong(1);
        }
    }

    /** Whatever went wrong must not be taken for an error before the commit. */
    private static Transaction.UnconfirmedException unconfirmed(SQLException trouble) {
        if (trouble instanceof Transaction.UnconfirmedException already) {
            return already;
        }
        Transaction.UnconfirmedException unconfirmed =
                new Transaction.UnconfirmedException("it does not answer: " + trouble.getMessage());
        unconfirmed.addSuppressed(trouble);
        return unconfirmed;
    }
}

package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.spi.RecordLog.LogLostException;
import io.tallystick.store.log.spi.RecordLog.NotWrittenException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * One connection that writes, a batch at a time, and finds out what became of a batch when no answer came.
 *
 * <p>A batch is one request. It commits before it waits for a standby, so it does not hold the fence meanwhile.
 * Where no replication is required, it is one statement without a transaction. It has three outcomes. Written: the
 * request says that it inserted a row, gave no warning, and {@link Confirmation} proves it. Not written: it says
 * that it inserted none. Or it failed, and the same connection, which has ended the request, finds the log to be
 * ours without the batch. Anything else is asked for: a new connection locks the row of the fence, which waits until
 * the old statement has ended, looks for the batch, and commits without waiting. So a look holds the fence no longer
 * than it looks. A second commit is synchronous and later in the log of the server than all that the look saw. When a
 * standby has that commit, the answer of the look counts. A batch that is not there is sent again. The server may not
 * have begun the old request, so its batch may still come: the primary key keeps one of the two, and no caller is told
 * that nothing was written. What the look says of another owner stays true without the lock: an epoch only rises.
 *
 * <p>By one writer at a time, except for {@link #close}.
 */
final class Lane implements AutoCloseable {
    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();
    private static final long SLOW_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

    /** From this version on a server ends a session whose transaction takes too long, whatever it waits for. */
    private static final int FIRST_WITH_LIMIT = 17;

    // What is selected is for its effect. Where a second commit follows, this one waits for nothing. And the server
    // ends the session if the rest of the request does not come: nobody else may change the fence meanwhile. The time
    // counts from here on, and not from when a large batch began to arrive.
    private static final String BATCH = "WITH mine AS (SELECT CASE WHEN ? THEN set_config('synchronous_commit', 'off',"
            + " true) END, CASE WHEN ? THEN set_config('transaction_timeout', ?, true) END"
            + " FROM tallystick_fence WHERE log_id = ? AND lane = ? AND epoch = ?"
            + " AND (NOT ? OR current_setting('synchronous_standby_names') <> '') FOR NO KEY UPDATE),"
            + " trim AS (DELETE FROM tallystick_batch USING mine WHERE log_id = ? AND seq >= ? AND seq < ?)"
            + " INSERT INTO tallystick_batch (log_id, seq, lane, epoch, durable, oldest, body)"
            + " SELECT ?, ?, ?, ?, ?, ?, ? FROM mine";

    /** One request where replication is required: the batch commits, and is proven. */
    private static final String PROVEN_BATCH = "BEGIN; " + BATCH + "; " + Confirmation.REST_OF_REQUEST;

    private static final String ABSENT = "SELECT EXISTS (SELECT 1 FROM tallystick_fence"
            + " WHERE log_id = ? AND lane = ? AND epoch = ?) AND NOT EXISTS (SELECT 1 FROM tallystick_batch"
            + " WHERE log_id = ? AND seq = ? AND epoch = ?)";

    /**
     * Errors after which the connection goes on. A statement that ended so was rolled back; the batch before it in the
     * request may be in the log.
     */
    private static final Set<String> STATEMENT_FAILED =
            Set.of("40001", "40P01", "55P03", "57014", "53100", "53200", "25006", "42501");

    private static final String READ_ONLY = "25006";

    /** No connection or no room left, a right is missing, the transaction only reads: a person has to act. */
    private static final Set<String> SLOW = Set.of("53100", "53300", "42501", READ_ONLY);

    /** What a connection that goes on is told, and only a person ends: a right is missing, or the disk is full. */
    private static final Set<String> REFUSED = Set.of("42501", "53100");

    private final Settings settings;
    private final int number;
    private final Acknowledged acknowledged;
    private final String limit;
    // Null between a statement without an answer and a look at what became of it.
    private Connection connection;
    private PreparedStatement request;
    private boolean hasLimit;
    private long server;

    /**
     * What the lanes of a log have in common.
     *
     * @param connections makes connections
     * @param options the options of the store
     * @param clock monotonic time
     * @param logId the number of the log
     * @param owner who has taken the log
     * @param epochBegin the first sequence of the epoch
     * @param storeId 16 bytes that checksums begin with
     * @param applicationName the name of connections
     * @param timeLimit for a statement; the log closes it
     * @param marker hears of each error before a caller does
     * @param standby knows whether commits wait for one
     * @param contact hears when the server is lost and found
     * @param figures counts
     */
    record Settings(
            Connections connections,
            PostgresOptions options,
            NanoClock clock,
            long logId,
            LogOwner owner,
            long epochBegin,
            byte[] storeId,
            String applicationName,
            TimeLimit timeLimit,
            LossMarker marker,
            StandbyWait standby,
            ServerContact contact,
            LogFigures figures) {
        long epoch() {
            return owner.epoch();
        }
    }

    /** @param acknowledged what all lanes were told is written */
    Lane(Settings settings, int number, Acknowledged acknowledged) {
        this.settings = settings;
        this.number = number;
        this.limit = settings.connections().timeOuts().read().toMillis() + "ms";
        this.acknowledged = acknowledged;
    }

    /**
     * Connects, so that a failure is one of the opening. A server that does not know this owner gets no batch: the
     * first write connects again, and looks.
     */
    void open() throws SQLException {
        connect();
        if (!LogOwner.find(connection, settings.logId()).equals(Optional.of(settings.owner()))) {
            disconnect();
        }
    }

    /**
     * Returns when the batch is written.
     *
     * @throws NotWrittenException it is not, and will not be
     * @throws IOException nobody knows
     */
    void write(PostgresBatch batch) throws IOException {
        try {
            writeBatch(batch);
        } catch (IOException refused) {
            settings.marker().notice(refused);
            throw refused;
        }
    }

    private void writeBatch(PostgresBatch batch) throws IOException {
        BatchBody.Header header = new BatchBody.Header(
                batch.count(),
                batch.sequence(),
                settings.epoch(),
                settings.epochBegin(),
                batch.durableSequence(),
                batch.trimTo());
        byte[] body = BatchBody.encode(settings.storeId(), header, batch.first(), batch.recordBytes());
        long deadline =
                settings.clock().nanoTime() + settings.options().patience().toNanos();
        // A statement of this batch got no answer. The server may go on with it at any time while the log is ours, also
        // after a look that did not find the batch.
        boolean isLost = false;
        Reasons reasons = null; // nearly every batch needs none
        while (true) {
            boolean isSent = false;
            try {
                if (connection == null && isFoundOnNewConnection(batch, isLost)) {
                    break;
                }
                isSent = true;
                if (execute(batch, body)) {
                    break;
                }
                isSent = false;
                if (isWritten(batch, isLost, new Long[0])) {
                    break;
                }
                throw new Connections.UnfitServerException(
                        "synchronous_standby_names is empty there, so a commit would be on one machine only; set it"
                                + " again, or set " + StoreOption.REQUIRE_REPLICATION.key()
                                + "=none, or =service where a service replicates below PostgreSQL");
            } catch (SQLException trouble) {
                // Only of the batch's own request: a look that is cancelled proves nothing.
                reasons = reasons == null ? new Reasons() : reasons;
                reasons.add(trouble);
                if (!isSent || !isRolledBack(trouble, batch)) {
                    isLost |= isSent && !isRefusedAsAWhole(trouble);
                    disconnect();
                } else if (READ_ONLY.equals(trouble.getSQLState())) {
                    disconnect(); // the server may have become a standby: look for the primary
                } else if (REFUSED.contains(trouble.getSQLState())) {
                    settings.contact().lost(number, trouble);
                }
                if (settings.clock().nanoTime() - deadline >= 0) {
                    throw outOfPatience(isLost, trouble, reasons);
                }
                LockSupport.parkNanos(this, pauseAfter(trouble));
            }
        }
        acknowledged.add(number, batch.sequence(), server);
        settings.contact().found(number, server);
    }

    @Override
    public void close() {
        disconnect();
    }

    private boolean execute(PostgresBatch batch, byte[] body) throws SQLException {
        boolean isProofRequired = settings.options().replicationRequired();
        int at = 0;
        request.setBoolean(++at, isProofRequired);
        request.setBoolean(++at, hasLimit);
        request.setString(++at, limit);
        request.setLong(++at, settings.logId());
        request.setInt(++at, number);
        request.setLong(++at, settings.epoch());
        request.setBoolean(++at, isProofRequired);
        request.setLong(++at, settings.logId());
        request.setLong(++at, batch.trimFrom());
        request.setLong(++at, batch.trimTo());
        request.setLong(++at, settings.logId());
        request.setLong(++at, batch.sequence());
        request.setInt(++at, number);
        request.setLong(++at, settings.epoch());
        request.setLong(++at, batch.durableSequence());
        request.setLong(++at, batch.trimTo());
        request.setBytes(++at, body);
        if (isProofRequired) {
            request.setLong(++at, settings.logId());
            request.setInt(++at, number);
        }
        TimeLimit.Request limited = settings.timeLimit().begin(connection);
        boolean goesOn = false;
        try {
            request.execute();
        } finally {
            goesOn = limited.end();
        }
        Transaction.checkConfirmed(request);
        if (isProofRequired) {
            request.getMoreResults(); // that of BEGIN comes first
        }
        boolean isInserted = request.getUpdateCount() == 1;
        if (isInserted && isProofRequired) {
            Confirmation.confirm(connection, request, settings.figures()::unconfirmed);
        }
        if (isInserted && !goesOn) {
            disconnect(); // it is broken off at any moment: the next batch must not meet that
        }
        return isInserted;
    }

    /** Connects, and looks for the batch: no batch goes to a server that was not asked what it has. */
    private boolean isFoundOnNewConnection(PostgresBatch batch, boolean isLost) throws SQLException, IOException {
        Long[] known = acknowledged.last(); // before looking: the other lanes go on
        try {
            connect();
        } catch (SQLException nowhere) {
            settings.contact().lost(number, nowhere);
            throw nowhere;
        }
        settings.contact().connected();
        boolean isFound = isWritten(batch, isLost, known);
        settings.contact().found(number, server);
        return isFound;
    }

    /**
     * Whether the batch is in the log.
     *
     * @param isLost whether a statement of it got no answer
     * @param known sequences that were written
     * @throws NotWrittenException it is not there and will not be, because the log is another owner's
     * @throws IOException the log lacks what was written, or it is another owner's and the batch was in it
     */
    private boolean isWritten(PostgresBatch batch, boolean isLost, Long[] known) throws SQLException, IOException {
        Found found;
        settings.figures().looked();
        try {
            found = look(batch.sequence());
        } catch (SQLException trouble) {
            throw LogTaken.ofMissingTables(connection, settings.options(), trouble);
        }
        if (found.isMine()) {
            acknowledged.check(connection, settings.logId(), known, settings.options());
            return found.isThere();
        }
        IOException taken = LogTaken.error(settings.options(), settings.owner(), found.owner());
        // The new owner may have deleted the batch already: it has read it, and acts on it nevertheless.
        if (isLost
                && taken instanceof NotWrittenException
                && (found.isThere() || batch.sequence() < Acknowledged.oldest(connection, settings.logId()))) {
            throw new LogLostException("another owner has taken the log in "
                    + settings.options().place()
                    + ", and the batch may have been in it; the new owner acts on it then");
        }
        throw taken;
    }

    /**
     * What the log has.
     *
     * @param isMine whether this owner has the log
     * @param isThere whether the batch is in it
     * @param owner of the log; empty where there is no log
     */
    private record Found(boolean isMine, boolean isThere, Optional<LogOwner> owner) {}

    /** Looks behind the fence, lets go of it, and returns when a standby has all that the look can have seen. */
    private Found look(long sequence) throws SQLException {
        Found found = Transaction.commitWithoutWaiting(connection, within -> lookFor(within, sequence));
        Transaction.commit(connection, settings.options().replicationRequired(), this::lockForNobody);
        return found;
    }

    /** Has a transaction write, so that its commit waits. The lock keeps nobody from changing the epoch. */
    private Void lockForNobody(Connection within) throws SQLException {
        try (PreparedStatement lock =
                within.prepareStatement("SELECT 1 FROM tallystick_fence WHERE log_id = ? AND lane = ? FOR KEY SHARE")) {
            lock.setLong(1, settings.logId());
            lock.setInt(2, number);
            lock.executeQuery().close();
            return null;
        }
    }

    private Found lookFor(Connection within, long sequence) throws SQLException {
        boolean isMine;
        // In a statement of its own: the next one sees what the waiting for the lock has let in.
        try (PreparedStatement lock = within.prepareStatement(
                "SELECT 1 FROM tallystick_fence" + " WHERE log_id = ? AND lane = ? AND epoch = ? FOR NO KEY UPDATE")) {
            lock.setLong(1, settings.logId());
            lock.setInt(2, number);
            lock.setLong(3, settings.epoch());
            try (ResultSet row = lock.executeQuery()) {
                isMine = row.next();
            }
        }
        try (PreparedStatement look = within.prepareStatement(
                "SELECT EXISTS (SELECT 1 FROM tallystick_batch WHERE log_id = ? AND seq = ? AND epoch = ?)")) {
            look.setLong(1, settings.logId());
            look.setLong(2, sequence);
            look.setLong(3, settings.epoch());
            try (ResultSet row = look.executeQuery()) {
                row.next();
                Optional<LogOwner> owner = LogOwner.find(within, settings.logId());
                return new Found(isMine && owner.equals(Optional.of(settings.owner())), row.getBoolean(1), owner);
            }
        }
    }

    /** No answer came in time: the outcome is unknown. */
    private static final class OutOfPatienceException extends IOException {
        private static final long serialVersionUID = 1L;

        private OutOfPatienceException(String message, SQLException last) {
            super(message, last);
        }
    }

    /** Whether a write ended so because the database did not serve for longer than the patience. */
    static boolean isOutage(Throwable error) {
        return error instanceof OutOfPatienceException
                || error instanceof NotWrittenException proof && !proof.isFenced();
    }

    private IOException outOfPatience(boolean isLost, SQLException last, Reasons reasons) {
        String done = Reasons.isAnswer(last) ? " refused to write for " : " gave no answer for ";
        if (last instanceof Transaction.UnconfirmedException) {
            done = " did not confirm a write for ";
        }
        String told = "the database of " + settings.options().place() + done + StoreOption.PATIENCE.key() + "="
                + settings.options().patience().toSeconds() + "s: "
                + reasons.told()
                + (settings.standby().seen().isEmpty()
                        ? ""
                        : "; " + settings.standby().seen());
        return isLost
                ? new OutOfPatienceException(told, last)
                : new NotWrittenException(told + "; nothing was written", false, last);
    }

    /** A server without room or connections, or a user without a right, gets fewer tries: each is a line in its log. */
    static long pauseAfter(SQLException trouble) {
        return trouble.getSQLState() != null && SLOW.contains(trouble.getSQLState()) ? SLOW_PAUSE_NANOS : PAUSE_NANOS;
    }

    /** Whether a request without a second commit was refused: the server has rolled all of it back. */
    private boolean isRefusedAsAWhole(SQLException trouble) {
        return !settings.options().replicationRequired() && Schema.isGone(trouble);
    }

    private void connect() throws SQLException {
        if (connection == null) {
            connection = settings.connections().open(settings.applicationName());
            request = connection.prepareStatement(settings.options().replicationRequired() ? PROVEN_BATCH : BATCH);
            server = Connections.serverOf(connection);
            hasLimit = connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_LIMIT;
        }
    }

    /** Whether a request that failed so has surely written nothing, and the connection goes on: try again. */
    private boolean isRolledBack(SQLException trouble, PostgresBatch batch) {
        return trouble.getSQLState() != null
                && STATEMENT_FAILED.contains(trouble.getSQLState())
                && isUsable()
                && (!settings.options().replicationRequired() || isAbsent(batch));
    }

    /**
     * Whether the batch is not there, and the log is ours. The request has ended, so its batch does not come any more.
     * Another owner might have deleted it. False where that cannot be found out.
     */
    private boolean isAbsent(PostgresBatch batch) {
        try (Statement ending = connection.createStatement();
                PreparedStatement look = connection.prepareStatement(ABSENT)) {
            ending.execute("ROLLBACK"); // the request may have failed in any of its two transactions
            look.setLong(1, settings.logId());
            look.setInt(2, number);
            look.setLong(3, settings.epoch());
            look.setLong(4, settings.logId());
            look.setLong(5, batch.sequence());
            look.setLong(6, settings.epoch());
            try (ResultSet answer = look.executeQuery()) {
                return answer.next() && answer.getBoolean(1);
            }
        } catch (SQLException unanswered) { // the caller looks by another connection
            return false;
        }
    }

    private boolean isUsable() {
        try {
            return connection != null && !connection.isClosed();
        } catch (SQLException broken) {
            return false;
        }
    }

    private void disconnect() {
        Connections.closeQuietly(connection);
        connection = null;
        request = null;
    }
}

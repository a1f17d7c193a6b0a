package io.tallystick.store.postgresql;

import io.tallystick.storage.HostName;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.store.UnsupportedFormatException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes a log over.
 *
 * <p><b>The fence is the promise.</b> Each lane of a log has a row with the epoch of its owner. A batch is written by a
 * statement that locks the row of its lane and writes nothing where the epoch is another one. A new owner raises the
 * epoch of all lanes in one transaction: it waits for batches that are under way, and later ones of the old owner find
 * no row. Its commit is synchronous, and it reads the batches after that. So whatever it reads is on the standby too.
 *
 * <p><b>The lease is a hint.</b> It keeps two processes that both mean well from taking the log from each other. An
 * owner asks the server something now and then ({@link LeaseBeat}), and the server lists when. Who wants the log looks
 * at that list for a whole lease, by its own monotonic clock: its own lease or the owner's, whichever is longer. It
 * takes the log if nothing has changed. No wall clock takes part, and a beat writes nothing.
 *
 * <p><b>The node goes before an adopter.</b> An adopter is a process that recovers the log of a dead node and leaves.
 * It takes the log from no owner that lives. A start of the node itself takes the log from an adopter without waiting,
 * whatever {@link StoreOption#TAKEOVER} says: the fence is all that it needs.
 */
final class Ownership {
    /** What connections are named that want a log; the node follows. */
    static final String OPENING = "tallystick opening ";

    private static final System.Logger LOG = System.getLogger(Ownership.class.getName());
    private static final int LOOKS_IN_LEASE = 10;
    private static final String UNIQUE_VIOLATION = "23505";

    private final PostgresOptions options;
    private final Connections connections;
    private final NanoClock clock;
    private final String owner = ownerText();

    Ownership(PostgresOptions options, Connections connections, NanoClock clock) {
        this.options = options;
        this.connections = connections;
        this.clock = clock;
    }

    /**
     * A log that this process owns.
     *
     * @param logId its number in the tables
     * @param storeId its unique id
     * @param owner this opening, with its epoch
     * @param connection commits synchronously; the taker's
     * @param server that the connection leads to, see {@link Connections#serverOf}
     */
    record Taken(long logId, UUID storeId, LogOwner owner, Connection connection, long server) {
        /** The name that the server lists connections of this owner under. */
        String applicationName() {
            return OwnerSessions.name(storeId, owner.epoch());
        }
    }

    /**
     * Takes the log of the node, or makes one.
     *
     * @throws StoreLockedException its owner lives, or it was not closed and must not be taken over
     * @throws UnsupportedFormatException it has another format
     * @throws StoreIoException the database cannot be used, or a loss is marked that nobody has accepted
     */
    Taken take() {
        Connection connection = null;
        boolean isRaising = false;
        try {
            connection = connections.open(OPENING + options.nodeId());
            checkStandby(connection); // a commit would wait for it, also that of a table that is made
            ServiceWarning.tell(connection, options);
            LossRows.checkNone(connection, options); // before tables or a log are made: they may be what is missing
            Schema.check(connection, options);
            LossRows.prepare(connection, options);
            Optional<LogRow> found = find(connection);
            LogRow row = found.isPresent() ? found.get() : make(connection);
            while (true) {
                row.checkFormat(options);
                if (goesBefore(row)) {
                    tellOfAdopter(row);
                } else if (!row.isClean()) {
                    connection = awaitSilence(connection, row);
                }
                isRaising = true;
                Optional<Taken> taken = raiseEpoch(connection, row);
                isRaising = false;
                if (taken.isPresent()) {
                    return taken.get();
                }
                row = find(connection).orElseThrow(this::vanished);
                if (!goesBefore(row) && !row.isClean()) {
                    throw new StoreLockedException("the log in " + options.place() + " was taken meanwhile by "
                            + row.ownerText() + "; stop it, or use another " + StoreOption.NODE_ID.key());
                }
            }
        } catch (SQLException trouble) {
            Connections.closeQuietly(connection);
            throw new StoreIoException(
                    "the log in " + options.place() + " cannot be opened: " + trouble.getMessage()
                            + "; check that the server runs, that user and password are right, and that it is the"
                            + " primary; "
                            + (isRaising
                                    ? "no state was changed; whether the owner before can still write is not known"
                                    : "nothing that was stored was changed"),
                    trouble);
        } catch (RuntimeException | Error refused) {
            Connections.closeQuietly(connection);
            throw refused;
        }
    }

    /**
     * Takes the log anew after an outage, if it is still that of this object. Batches of the former epoch that are on
     * their way end before this returns, and later ones find another epoch. An owner in between has changed the log's
     * row.
     *
     * @param connection the log's, when this has succeeded
     * @param before what this object has taken last, and knows to have
     * @return empty if the log is another owner's, or gone
     * @throws SQLException it may have been taken: then it is still that of this object, with a later epoch
     */
    Optional<Taken> takeAnew(Connection connection, Taken before) throws SQLException {
        checkStandby(connection);
        return find(connection).filter(row -> isOwn(row, before)).isPresent()
                ? raiseEpoch(connection, before)
                : Optional.empty();
    }

    /** A raise without an answer may have been made. Its text is that of this object, and its epoch a later one. */
    private boolean isOwn(LogRow row, Taken before) {
        return row.logId() == before.logId()
                && row.storeId().equals(before.storeId())
                && row.owner().equals(owner)
                && row.epoch() >= before.owner().epoch();
    }

    private Optional<Taken> raiseEpoch(Connection connection, Taken before) throws SQLException {
        LogRow[] own = new LogRow[1];
        Transaction.commit(connection, options.replicationRequired(), within -> {
            LogRow current = lock(within, before.logId());
            if (isOwn(current, before)) {
                LossRows.checkNone(within, options);
                setEpoch(within, current.logId(), current.epoch() + 1);
                own[0] = current;
            }
            return null;
        });
        return own[0] == null ? Optional.empty() : Optional.of(taken(connection, own[0]));
    }

    /**
     * Lets the next owner in without waiting. A raise of the epoch without an answer may have been made.
     *
     * @return whether the log was still this owner's
     */
    static boolean leave(Connection connection, Taken taken) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE tallystick_log SET clean = true WHERE log_id = ? AND epoch >= ? AND owner = ?")) {
            update.setLong(1, taken.logId());
            update.setLong(2, taken.owner().epoch());
            update.setString(3, taken.owner().text());
            return update.executeUpdate() == 1;
        }
    }

    /** Whether this opener is the node itself, and the owner an adopter that has not left. */
    private boolean goesBefore(LogRow row) {
        return !options.isAdopting() && row.isAdopters() && !row.isClean();
    }

    private void tellOfAdopter(LogRow row) {
        LOG.log(
                System.Logger.Level.WARNING,
                "TALLY0326 the log in " + options.place() + " was adopted by " + row.ownerText()
                        + "; this start of the node takes it back, and that process can write no more");
    }

    private SQLException vanished() {
        return new SQLException("the log of node " + options.nodeId() + " vanished");
    }

    private void checkStandby(Connection connection) throws SQLException {
        if (!options.replicationRequired()) {
            return;
        }
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(sync_state)"
                                + " FROM pg_stat_replication");
                ResultSet answer = query.executeQuery()) {
            answer.next();
            if (answer.getLong(2) == 0) {
                boolean mayNotSee = answer.getLong(1) > 0 && answer.getLong(3) == 0;
                throw new Connections.UnfitServerException(
                        mayNotSee
                                ? "whether a standby is synchronous cannot be seen; GRANT pg_monitor to the user of "
                                        + options.place()
                                : "no synchronous standby is connected to the server of " + options.place()
                                        + "; start one, or set " + StoreOption.REQUIRE_REPLICATION.key()
                                        + "=none, or =service where a service replicates below PostgreSQL");
            }
        }
    }

    private Optional<LogRow> find(Connection connection) throws SQLException {
        return LogRow.find(connection, options.nodeId());
    }

    private LogRow make(Connection connection) throws SQLException {
        if (options.existingExpected() || options.isAdopting()) {
            throw new Connections.UnfitServerException("there is no log of node " + options.nodeId() + ", and "
                    + (options.isAdopting()
                            ? "an adopter makes none"
                            : StoreOption.EXPECT_EXISTING.key() + "=true expects one")
                    + "; check the node and the database");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tallystick_log"
                + " (node_id, store_id, format, epoch, clean, owner, role, lease_millis)"
                + " VALUES (?, ?, ?, 0, true, '', 'home', 0)"
                + " ON CONFLICT (node_id) DO NOTHING")) {
            insert.setString(1, options.nodeId());
            insert.setObject(2, UUID.randomUUID());
            insert.setInt(3, Schema.FORMAT);
            insert.executeUpdate();
        } catch (SQLException refused) {
            if (!UNIQUE_VIOLATION.equals(refused.getSQLState())) {
                throw refused;
            }
            throw new Connections.UnfitServerException("the numbers of tallystick_log are behind its rows, as after a"
                    + " restore of the rows alone; run SELECT setval(pg_get_serial_sequence('" + options.schema()
                    + ".tallystick_log', 'log_id'), (SELECT max(log_id) FROM " + options.schema()
                    + ".tallystick_log))");
        }
        return find(connection)
                .orElseThrow(
                        () -> new SQLException("the log of node " + options.nodeId() + " vanished while it was made"));
    }

    /**
     * Returns a connection when the owner was silent for a whole lease, or has left, or when an adopter has the log
     * that this opener goes before.
     */
    private Connection awaitSilence(Connection first, LogRow row) throws SQLException {
        if (options.takeover() == Takeover.NEVER) {
            throw new StoreLockedException("the log in " + options.place() + " was not closed by its owner ("
                    + row.ownerText() + "), and " + StoreOption.TAKEOVER.key()
                    + "=never; make sure that this process has ended, and use after-lease");
        }
        if (options.takeover() == Takeover.AT_ONCE && !options.isAdopting()) {
            return first;
        }
        Connection connection = first;
        // The owner beats by its own lease, which may be another one than this opener's.
        long lease = Math.max(options.lease().toNanos(), row.lease().toNanos());
        OwnerSessions sessions = row.sessions();
        LOG.log(
                System.Logger.Level.INFO,
                "TALLY0337 the log in " + options.place() + " was not closed by " + row.ownerText()
                        + "; this opening waits until that one was silent for the lease of "
                        + Duration.ofNanos(lease).toMillis() + " ms");
        try {
            String seen = sessions.signsOfLife(connection, row.epoch());
            long since = clock.nanoTime();
            long giveUp = since + lease + options.patience().toNanos();
            boolean isOver = false;
            while (!isOver) {
                LockSupport.parkNanos(this, options.lease().toNanos() / LOOKS_IN_LEASE);
                isOver = clock.nanoTime() - since
                        >= lease; // the last look comes after: this thread may have stood still
                try {
                    String now = sessions.signsOfLife(connection, row.epoch());
                    LogRow current = find(connection).orElse(row);
                    if (goesBefore(current) || current.isClean()) { // an adopter was faster, and perhaps has left
                        return connection;
                    }
                    if (!now.equals(seen)) {
                        throw new StoreLockedException("the log in " + options.place() + " has an owner that lives: "
                                + current.ownerText() + "; stop it, or use another " + StoreOption.NODE_ID.key());
                    }
                } catch (SQLException outage) { // nobody could beat meanwhile: the wait begins anew
                    Connections.closeQuietly(connection);
                    if (clock.nanoTime() - giveUp > 0) {
                        throw outage;
                    }
                    connection = connections.open(OPENING + options.nodeId());
                    seen = sessions.signsOfLife(connection, row.epoch());
                    since = clock.nanoTime();
                    isOver = false;
                }
            }
            return connection;
        } catch (SQLException | RuntimeException | Error refused) {
            Connections.closeQuietly(connection); // the caller knows the first one only
            throw refused;
        }
    }

    /** Empty if another process took the log since it was seen so. */
    private Optional<Taken> raiseEpoch(Connection connection, LogRow seen) throws SQLException {
        long epoch = seen.epoch() + 1;
        boolean isRaised = Transaction.commit(connection, options.replicationRequired(), within -> {
            LogRow current = lock(within, seen.logId());
            // A migration may have put another log in the place of an empty one; epochs of two logs say nothing.
            if (current.logId() != seen.logId() || current.epoch() != seen.epoch()) {
                return false;
            }
            LossRows.checkNone(within, options); // an owner that lived a moment ago may have marked one meanwhile
            setEpoch(within, seen.logId(), epoch);
            return true;
        });
        if (!isRaised) {
            return Optional.empty();
        }
        return Optional.of(taken(connection, seen));
    }

    /** What was taken from this owner. */
    private Taken taken(Connection connection, LogRow from) throws SQLException {
        long epoch = from.epoch() + 1;
        connection.setClientInfo("ApplicationName", OwnerSessions.name(from.storeId(), epoch));
        long server = Connections.serverOf(connection);
        return new Taken(from.logId(), from.storeId(), new LogOwner(epoch, owner), connection, server);
    }

    private LogRow lock(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT 1 FROM tallystick_log WHERE log_id = ? FOR UPDATE")) {
            query.setLong(1, logId);
            query.executeQuery().close();
        }
        return find(connection).orElseThrow(this::vanished);
    }

    private void setEpoch(Connection connection, long logId, long epoch) throws SQLException {
        // First those that are there: this waits for the batches of the owner before.
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE tallystick_fence SET epoch = ? WHERE log_id = ?")) {
            update.setLong(1, epoch);
            update.setLong(2, logId);
            update.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tallystick_fence (log_id, lane, epoch)"
                + " SELECT ?, lane, ? FROM generate_series(0, ?) AS lane ON CONFLICT DO NOTHING")) {
            insert.setLong(1, logId);
            insert.setLong(2, epoch);
            insert.setInt(3, options.lanes() - 1);
            insert.executeUpdate();
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE tallystick_log SET epoch = ?, clean = false, owner = ?, role = ?, lease_millis = ?"
                        + " WHERE log_id = ?")) {
            update.setLong(1, epoch);
            update.setString(2, owner);
            update.setString(3, options.isAdopting() ? LogRow.ADOPTER : LogRow.HOME);
            update.setLong(4, options.lease().toMillis());
            update.setLong(5, logId);
            if (update.executeUpdate() != 1) {
                throw vanished();
            }
        }
    }

    private static String ownerText() {
        return "pid=" + ProcessHandle.current().pid() + " host=" + HostName.ofThisMachine() + " opening="
                + UUID.randomUUID();
    }

    /** How often an owner beats. */
    static Duration beatOf(Duration lease) {
        return lease.dividedBy(4);
    }
}

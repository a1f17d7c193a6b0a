package io.tallystick.store.postgresql;

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
 * at that list for a whole lease, by its own monotonic clock. It takes the log if nothing has changed. No wall clock
 * takes part, and a beat writes nothing.
 */
final class Ownership {
    private static final int LOOKS_IN_LEASE = 10;

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
     * @param epoch the epoch of this owner
     * @param connection commits synchronously; the taker's
     */
    record Taken(long logId, UUID storeId, long epoch, Connection connection) {
        /** The name that the server lists connections of this owner under. */
        String applicationName() {
            return Ownership.applicationName(logId, epoch);
        }
    }

    private record Row(long logId, UUID storeId, int format, long epoch, boolean isClean, String owner) {}

    /**
     * Takes the log of the node, or makes one.
     *
     * @throws StoreLockedException its owner lives, or it was not closed and must not be taken over
     * @throws UnsupportedFormatException it has another format
     * @throws StoreIoException the database cannot be used
     */
    Taken take() {
        Connection connection = null;
        try {
            connection = connections.open("tallystick opening " + options.nodeId());
            checkStandby(connection); // a commit would wait for it, also that of a table that is made
            Schema.check(connection, options);
            Optional<Row> found = find(connection);
            Row row = found.isPresent() ? found.get() : make(connection);
            checkFormat(row);
            if (!row.isClean()) {
                connection = awaitSilence(connection, row);
            }
            return raiseEpoch(connection, row);
        } catch (SQLException trouble) {
            Connections.closeQuietly(connection);
            throw new StoreIoException(
                    "the log in " + options.place() + " cannot be opened: " + trouble.getMessage()
                            + "; check that the server runs, that user and password are right, and that it is the"
                            + " primary; nothing that was stored was changed",
                    trouble);
        } catch (RuntimeException | Error refused) {
            Connections.closeQuietly(connection);
            throw refused;
        }
    }

    /** Lets the next owner in without waiting. */
    static void leave(Connection connection, long logId, long epoch) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE tallystick_log SET clean = true WHERE log_id = ? AND epoch = ?")) {
            update.setLong(1, logId);
            update.setLong(2, epoch);
            update.executeUpdate();
        }
    }

    private static String applicationName(long logId, long epoch) {
        return "tallystick " + logId + " " + epoch;
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
                                        + "; start one, or set " + StoreOption.REQUIRE_REPLICATION.key() + "=false");
            }
        }
    }

    private Optional<Row> find(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT log_id, store_id, format, epoch, clean, owner FROM tallystick_log WHERE node_id = ?")) {
            query.setString(1, options.nodeId());
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new Row(
                                row.getLong(1),
                                row.getObject(2, UUID.class),
                                row.getInt(3),
                                row.getLong(4),
                                row.getBoolean(5),
                                row.getString(6)))
                        : Optional.empty();
            }
        }
    }

    private Row make(Connection connection) throws SQLException {
        if (options.existingExpected()) {
            throw new Connections.UnfitServerException("there is no log of node " + options.nodeId() + ", and "
                    + StoreOption.EXPECT_EXISTING.key() + "=true expects one; check the node and the database");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tallystick_log"
                + " (node_id, store_id, format, epoch, clean, owner) VALUES (?, ?, ?, 0, true, '')"
                + " ON CONFLICT DO NOTHING")) {
            insert.setString(1, options.nodeId());
            insert.setObject(2, UUID.randomUUID());
            insert.setInt(3, Schema.FORMAT);
            insert.executeUpdate();
        }
        return find(connection)
                .orElseThrow(
                        () -> new SQLException("the log of node " + options.nodeId() + " vanished while it was made"));
    }

    private void checkFormat(Row row) {
        if (row.format() != Schema.FORMAT) {
            throw new UnsupportedFormatException("the log in " + options.place() + " has format " + row.format()
                    + "; this version reads " + Schema.FORMAT + ". Use the version that wrote it");
        }
    }

    /** Returns a connection when the owner was silent for a whole lease, or has left. */
    private Connection awaitSilence(Connection first, Row row) throws SQLException {
        if (options.takeover() == Takeover.NEVER) {
            throw new StoreLockedException("the log in " + options.place() + " was not closed by its owner ("
                    + row.owner() + "), and " + StoreOption.TAKEOVER.key()
                    + "=never; make sure that this process has ended, and use after-lease");
        }
        if (options.takeover() == Takeover.AT_ONCE) {
            return first;
        }
        Connection connection = first;
        long lease = options.lease().toNanos();
        try {
            String seen = signsOfLife(connection, row);
            long since = clock.nanoTime();
            long giveUp = since + lease + options.patience().toNanos();
            while (clock.nanoTime() - since < lease) {
                LockSupport.parkNanos(this, Math.max(1, lease / LOOKS_IN_LEASE));
                try {
                    String now = signsOfLife(connection, row);
                    if (!now.equals(seen)) {
                        throw new StoreLockedException("the log in " + options.place() + " has an owner that lives: "
                                + row.owner() + "; stop it, or use another " + StoreOption.NODE_ID.key());
                    }
                    Row current = find(connection).orElse(row);
                    if (current.isClean()) {
                        return connection;
                    }
                } catch (SQLException outage) { // nobody could beat meanwhile: the wait begins anew
                    Connections.closeQuietly(connection);
                    if (clock.nanoTime() - giveUp > 0) {
                        throw outage;
                    }
                    connection = connections.open("tallystick opening " + options.nodeId());
                    seen = signsOfLife(connection, row);
                    since = clock.nanoTime();
                }
            }
            return connection;
        } catch (SQLException | RuntimeException | Error refused) {
            Connections.closeQuietly(connection); // the caller knows the first one only
            throw refused;
        }
    }

    /** What the server lists of the owner's connections, and when it last heard of each. */
    private String signsOfLife(Connection connection, Row row) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT coalesce(string_agg(pid || ' ' ||"
                + " coalesce(query_start::text, ''), ',' ORDER BY pid), '') || ' ' ||"
                + " (SELECT epoch FROM tallystick_log WHERE log_id = ?)"
                + " FROM pg_stat_activity WHERE application_name = ?")) {
            query.setLong(1, row.logId());
            query.setString(2, applicationName(row.logId(), row.epoch()));
            try (ResultSet signs = query.executeQuery()) {
                signs.next();
                return String.valueOf(signs.getString(1));
            }
        }
    }

    private Taken raiseEpoch(Connection connection, Row seen) throws SQLException {
        long epoch = Transaction.commit(connection, options.replicationRequired(), within -> {
            Row row = lock(within, seen.logId());
            if (row.epoch() != seen.epoch()) {
                throw new StoreLockedException("the log in " + options.place() + " was taken meanwhile by "
                        + row.owner() + "; stop it, or use another " + StoreOption.NODE_ID.key());
            }
            long next = row.epoch() + 1;
            setEpoch(within, row.logId(), next);
            return next;
        });
        connection.setClientInfo("ApplicationName", applicationName(seen.logId(), epoch));
        return new Taken(seen.logId(), seen.storeId(), epoch, connection);
    }

    private Row lock(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT 1 FROM tallystick_log WHERE log_id = ? FOR UPDATE")) {
            query.setLong(1, logId);
            query.executeQuery().close();
        }
        return find(connection)
                .orElseThrow(() -> new SQLException("the log of node " + options.nodeId() + " vanished"));
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
                "UPDATE tallystick_log SET epoch = ?, clean = false, owner = ? WHERE log_id = ?")) {
            update.setLong(1, epoch);
            update.setString(2, owner);
            update.setLong(3, logId);
            update.executeUpdate();
        }
    }

    private static String ownerText() {
        String host = Optional.ofNullable(System.getenv("HOSTNAME")).orElse("unknown host");
        return "pid=" + ProcessHandle.current().pid() + " host=" + host + " opening=" + UUID.randomUUID();
    }

    /** How often an owner beats. */
    static Duration beatOf(Duration lease) {
        return lease.dividedBy(4);
    }
}

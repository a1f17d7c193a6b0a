package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StagedLog;
import io.tallystick.store.spi.StoreInspection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * A log under a name that no transaction manager has, {@code unfinished-migration:NODE}. To publish, one UPDATE gives
 * it the name of the node. The name is unique in the table, so a log that the node has got meanwhile wins.
 *
 * <p>A log that was closed and never held a batch gives way to it, in the transaction of that UPDATE. The transaction
 * locks what a takeover locks, in the same order: the log, then its fence. A start of the node that comes first changes
 * the epoch, and the log stays. One that comes later waits, and finds the staged log. A batch under way goes first, and
 * the log stays; a later one finds no fence.
 *
 * <p>The fence guards it as every log: a second run that fills it finds a living owner. What is written outside of a
 * store, the new name and the deletion, names the epoch that was seen and asks that the log is closed.
 */
final class PostgresStagedLog implements StagedLog {
    private static final String PREFIX = "unfinished-migration:";
    private static final String UNIQUE_VIOLATION = "23505";

    private final PostgresOptions wanted;
    private final PostgresOptions staged;
    private final NanoClock clock;
    private LogRow inspected;
    // Null unless the node has a log that may go.
    private LogRow empty;

    /** @param configuration of the node's store */
    PostgresStagedLog(StoreConfiguration configuration, NanoClock clock) {
        this.wanted = PostgresOptions.from(configuration);
        this.staged = PostgresOptions.ofStaged(configuration.toBuilder()
                .set(StoreOption.NODE_ID, PREFIX + wanted.nodeId())
                .set(StoreOption.EXPECT_EXISTING, false)
                .build());
        this.clock = clock;
    }

    @Override
    public boolean isUnfinished() {
        Connection connection = null;
        try {
            connection = new Connections(staged).openToLook("tallystick looking at " + wanted.nodeId());
            return new TableCheck(connection, staged.schema()).columns().isEmpty()
                    && LogRow.find(connection, staged.nodeId()).isPresent();
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(staged, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    @Override
    public ObjectStore create() {
        ObjectStore store = PostgresStore.open(staged, clock);
        try {
            for (String type : store.types()) {
                for (StateKey key : store.keys(type)) {
                    empty(store, key);
                }
            }
            store.force();
            return store;
        } catch (RuntimeException | Error failed) {
            closeAfter(failed, store);
            throw failed;
        }
    }

    private static void empty(ObjectStore store, StateKey key) {
        if (store.statusOf(key).isHidden()) {
            store.reveal(key);
        }
        if (store.readShadow(key).isPresent()) {
            store.discardShadow(key, Durability.DEFERRED);
        }
        if (store.read(key).isPresent()) {
            store.remove(key, Durability.DEFERRED);
        }
    }

    private static void closeAfter(Throwable failed, ObjectStore store) {
        try {
            store.close();
        } catch (StoreException alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }

    @Override
    public StoreInspection inspect() {
        inspected = find().orElseThrow(this::vanished);
        return LogInspection.of(staged).orElseThrow(this::vanished);
    }

    @Override
    public boolean replacesEmptyLog() {
        Connection connection = null;
        try {
            connection = new Connections(wanted).openToLook("tallystick looking at " + wanted.nodeId());
            if (!new TableCheck(connection, wanted.schema()).columns().isEmpty()) {
                return false;
            }
            Optional<LogRow> log = LogRow.find(connection, wanted.nodeId());
            empty = log.isPresent() && log.get().isClean() && !hasBatch(connection, log.get()) ? log.get() : null;
            return empty != null;
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(wanted, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    private static boolean hasBatch(Connection connection, LogRow log) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT EXISTS (SELECT 1 FROM tallystick_batch WHERE log_id = ?)")) {
            query.setLong(1, log.logId());
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getBoolean(1);
            }
        }
    }

    private Optional<LogRow> find() {
        Connection connection = null;
        try {
            connection = new Connections(staged).openToLook("tallystick looking at " + wanted.nodeId());
            return LogRow.find(connection, staged.nodeId());
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(staged, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    private StoreLockedException vanished() {
        return new StoreLockedException("the log in " + staged.place()
                + " was finished or deleted by another process; run the migration again");
    }

    @Override
    public void publish() {
        Connection connection = null;
        try {
            connection = new Connections(wanted).open("tallystick publishing " + wanted.nodeId());
            int renamed = Transaction.commit(connection, wanted.replicationRequired(), within -> {
                LossRows.checkNone(within, wanted);
                if (empty != null) {
                    deleteEmpty(within);
                }
                try (PreparedStatement update = within.prepareStatement("UPDATE tallystick_log SET node_id = ?"
                        + " WHERE log_id = ? AND node_id = ? AND epoch = ? AND clean")) {
                    update.setString(1, wanted.nodeId());
                    update.setLong(2, inspected.logId());
                    update.setString(3, staged.nodeId());
                    update.setLong(4, inspected.epoch());
                    return update.executeUpdate();
                }
            });
            if (renamed == 0) {
                throw vanished();
            }
        } catch (SQLException trouble) {
            if (UNIQUE_VIOLATION.equals(trouble.getSQLState())) {
                throw meanwhile("was made by another process", trouble);
            }
            throw new StoreIoException(
                    "whether the log in " + wanted.place() + " is there is unknown: " + trouble.getMessage()
                            + "; run the migration again, it finds out",
                    trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    /** Deletes the log that was seen to be empty, if it still is. */
    private void deleteEmpty(Connection within) throws SQLException {
        try (PreparedStatement lock = within.prepareStatement(
                "SELECT 1 FROM tallystick_log WHERE log_id = ? AND node_id = ? AND epoch = ? AND clean FOR UPDATE")) {
            lock.setLong(1, empty.logId());
            lock.setString(2, wanted.nodeId());
            lock.setLong(3, empty.epoch());
            try (ResultSet row = lock.executeQuery()) {
                if (!row.next()) {
                    throw meanwhile("was opened by another process", null);
                }
            }
        }
        // Waits for a batch that the owner has sent and got no answer to. The next statement sees it.
        delete(within, "tallystick_fence");
        if (hasBatch(within, empty)) {
            throw meanwhile("was written by its last owner", null);
        }
        if (empty.sessions().areThere(within)) {
            throw meanwhile("was marked as closed, and its owner is connected", null);
        }
        delete(within, "tallystick_log");
    }

    private void delete(Connection within, String table) throws SQLException {
        try (PreparedStatement delete = within.prepareStatement("DELETE FROM " + table + " WHERE log_id = ?")) {
            delete.setLong(1, empty.logId());
            delete.executeUpdate();
        }
    }

    private StoreLockedException meanwhile(String what, SQLException causeOrNull) {
        return new StoreLockedException(
                "the log in " + wanted.place() + ' ' + what
                        + " meanwhile; nothing was changed there. Stop it and run the migration again",
                causeOrNull);
    }

    @Override
    public void discard() {
        try {
            Optional<LogRow> left = find().filter(LogRow::isClean);
            if (left.isPresent()) {
                delete(left.get());
            }
        } catch (StoreException | SQLException stays) {
            // the caller reports a failure already; the next run empties it
        }
    }

    // By its name too: a publication without an answer may still be carried out.
    private void delete(LogRow left) throws SQLException {
        try (Connection connection = new Connections(staged).open("tallystick discarding " + wanted.nodeId());
                PreparedStatement log = connection.prepareStatement(
                        "DELETE FROM tallystick_log WHERE clean AND log_id = ? AND epoch = ? AND node_id = ?");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            log.setLong(1, left.logId());
            log.setLong(2, left.epoch());
            log.setString(3, staged.nodeId());
            if (log.executeUpdate() == 1) {
                for (String table : List.of("tallystick_fence", "tallystick_batch")) {
                    statement.executeUpdate("DELETE FROM " + table + " WHERE log_id = " + left.logId());
                }
                connection.commit();
            }
        }
    }
}

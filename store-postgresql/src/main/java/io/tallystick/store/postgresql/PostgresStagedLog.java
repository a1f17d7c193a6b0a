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
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * A log under a name that no transaction manager has, {@code unfinished-migration:NODE}. To publish, one UPDATE gives
 * it the name of the node. The name is unique in the table, so a log that the node has got meanwhile wins.
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

    /** @param configuration of the node's store */
    PostgresStagedLog(StoreConfiguration configuration, NanoClock clock) {
        this.wanted = PostgresOptions.from(configuration);
        this.staged = PostgresOptions.ofAnyNode(configuration.toBuilder()
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
                throw new StoreLockedException(
                        "the log in " + wanted.place()
                                + " was made by another process meanwhile; nothing was changed there."
                                + " Stop it and run the migration again",
                        trouble);
            }
            throw new StoreIoException(
                    "whether the log in " + wanted.place() + " is there is unknown: " + trouble.getMessage()
                            + "; run the migration again, it finds out",
                    trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
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

package io.tallystick.store.postgresql;

import io.tallystick.store.UnsupportedFormatException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The row of a node's log.
 *
 * @param logId its number in the tables
 * @param storeId its unique id
 * @param format of the tables and of the batches
 * @param epoch of its owner
 * @param isClean whether the last owner has closed it
 * @param owner the last owner, for people
 * @param role of the last owner: {@value #HOME} or {@value #ADOPTER}
 * @param lease of the last owner
 */
record LogRow(
        long logId, UUID storeId, int format, long epoch, boolean isClean, String owner, String role, Duration lease) {
    /** The role of the node itself. */
    static final String HOME = "home";

    /** The role of a process that recovers the log of a dead node. */
    static final String ADOPTER = "adopter";

    /** The log of a node; empty if it has none. */
    static Optional<LogRow> find(Connection connection, String nodeId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT log_id, store_id, format, epoch, clean, owner, role, lease_millis FROM tallystick_log"
                        + " WHERE node_id = ?")) {
            query.setString(1, nodeId);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new LogRow(
                                row.getLong(1),
                                row.getObject(2, UUID.class),
                                row.getInt(3),
                                row.getLong(4),
                                row.getBoolean(5),
                                row.getString(6),
                                row.getString(7),
                                Duration.ofMillis(row.getLong(8))))
                        : Optional.empty();
            }
        }
    }

    /**
     * Refuses a log that this version does not read.
     *
     * @throws UnsupportedFormatException it has another format
     */
    void checkFormat(PostgresOptions options) {
        if (format != Schema.FORMAT) {
            throw new UnsupportedFormatException("the log in " + options.place() + " has format " + format
                    + "; this version reads " + Schema.FORMAT + ". Use the version that wrote it");
        }
    }

    boolean isAdopters() {
        return role.equals(ADOPTER);
    }

    /** The owner with its role, for people. */
    String ownerText() {
        return owner + " role=" + role;
    }

    /**
     * The owner and when the server last heard of it; empty if the log was closed, or if the server has no connection
     * of its owner. An owner that was killed may have one until the server notices. A standby has none of its primary's
     * connections.
     */
    Optional<String> livingOwner(Connection connection) throws SQLException {
        if (isClean) {
            return Optional.empty();
        }
        return sessions().seen(connection, epoch).map(seen -> owner + ' ' + seen);
    }

    /** The connections of its owners. */
    OwnerSessions sessions() {
        return new OwnerSessions(storeId, logId);
    }
}

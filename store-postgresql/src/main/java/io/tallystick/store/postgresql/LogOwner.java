package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * An owner of a log. The epoch counts owners. Two servers that were one may have counted the same number: one lost the
 * last takeover, or both take writes. The text is of one opening only, so it tells such owners apart.
 *
 * @param epoch of the log, from 1
 * @param text names the process, the host and the opening
 */
record LogOwner(long epoch, String text) {
    /** The owner of a log as a server knows it; empty where the log is not there. */
    static Optional<LogOwner> find(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT epoch, owner FROM tallystick_log WHERE log_id = ?")) {
            query.setLong(1, logId);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(new LogOwner(row.getLong(1), row.getString(2))) : Optional.empty();
            }
        }
    }

    /** Whether it is the same opening, which has taken the log once more. */
    boolean isLaterThan(LogOwner before) {
        return text.equals(before.text) && epoch > before.epoch;
    }
}

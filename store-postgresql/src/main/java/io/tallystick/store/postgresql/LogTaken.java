package io.tallystick.store.postgresql;

import io.tallystick.store.log.spi.RecordLog.NotWrittenException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/** Finds out why a log is not this owner's any more: another one has it, or the database went back in time. */
final class LogTaken {
    private LogTaken() {}

    /** The epoch of the log; empty where the log is not there. */
    static OptionalLong epochOf(Connection connection, long logId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT epoch FROM tallystick_log WHERE log_id = ?")) {
            query.setLong(1, logId);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    /**
     * The error of an owner whose epoch the log has not. An epoch only rises, and a log with a batch is never
     * deleted. So a lower one, or none, is an earlier state of the database. There is one exception: a migration may
     * have deleted an empty log ({@link PostgresStagedLog#publish}). A former owner of it, which wrote nothing, is told
     * of an earlier state too. It has to stop in either case.
     */
    static IOException error(PostgresOptions options, long ownEpoch, OptionalLong epochThere) {
        if (epochThere.isPresent() && epochThere.getAsLong() > ownEpoch) {
            return new NotWrittenException(
                    "the log in " + options.place() + " was taken over by another process; nothing was written."
                            + " Close the store and end this process: the new owner recovers its transactions",
                    true,
                    null);
        }
        return wentBack(
                options,
                epochThere.isPresent() && epochThere.getAsLong() < ownEpoch
                        ? "the log has epoch " + epochThere.getAsLong() + " there, and this process took it with epoch "
                                + ownEpoch
                        : "the log of this process is not whole there");
    }

    /** The error of an owner that finds an earlier state of its log. */
    static IOException wentBack(PostgresOptions options, String reason) {
        return new IOException("the database of " + options.place() + " went back in time: " + reason
                + "; a standby that lags was made the primary, or a backup was restored, and batches that were"
                + " acknowledged may be lost. Find the server that has them before you go on");
    }
}

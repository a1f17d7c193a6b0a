package io.tallystick.store.postgresql;

import io.tallystick.store.log.spi.RecordLog.NotWrittenException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Finds out why a log is not this owner's any more: another one has it, or the database went back in time. */
final class LogTaken {
    private static final String UNDEFINED_TABLE = "42P01";

    private LogTaken() {}

    /**
     * The error of an owner that the log has not. An epoch only rises, and a log with a batch is never deleted. So a
     * lower one, or none, is an earlier state of the database. The same one of another owner was counted after such a
     * state, or on another primary. There is one exception: a migration may
     * have deleted an empty log ({@link PostgresStagedLog#publish}). A former owner of it, which wrote nothing, is told
     * of an earlier state too. It has to stop in either case.
     */
    static IOException error(PostgresOptions options, LogOwner own, Optional<LogOwner> there) {
        long epochThere = there.map(LogOwner::epoch).orElse(0L);
        if (epochThere > own.epoch()) {
            return new NotWrittenException(
                    "the log in " + options.place() + " was taken over by another process; nothing was written."
                            + " Close the store and end this process: the new owner recovers its transactions",
                    true,
                    null);
        }
        String reason = "the log of this process is not whole there";
        if (there.isPresent() && epochThere < own.epoch()) {
            reason = "the log has epoch " + epochThere + " there, and this process took it with epoch " + own.epoch();
        } else if (there.isPresent() && !there.get().equals(own)) {
            reason = "the log has epoch " + epochThere + " there, of another owner with the same epoch ("
                    + there.get().text() + ")";
        }
        return wentBack(options, reason);
    }

    /**
     * The error of an owner whose tables are not there. A server says that of tables in a schema that the user may not
     * use, too: nothing is lost then, also where the right is back before this asks. So only the catalogue tells of a
     * loss, which lists tables for everybody.
     *
     * @throws SQLException something else is the matter: a right is missing, or the error itself
     */
    static IOException ofMissingTables(Connection connection, PostgresOptions options, SQLException trouble)
            throws SQLException {
        if (!UNDEFINED_TABLE.equals(trouble.getSQLState())) {
            throw trouble;
        }
        try (Statement ending = connection.createStatement()) {
            ending.execute("ROLLBACK"); // the question may have failed within a transaction
            Schema.checkUsage(connection, options);
            if (Schema.hasAllTables(connection, options.schema())) {
                throw trouble;
            }
        } catch (SQLException right) {
            if (right != trouble) {
                right.addSuppressed(trouble);
            }
            throw right;
        }
        return new LostBatchesException("a table of " + options.place() + " is not there any more ("
                + trouble.getMessage() + "): it was dropped, or the database went back in time, because a standby that"
                + " lags was made the primary or a backup was restored. Batches that were acknowledged may be lost."
                + " Find the server or the backup that has them before you go on");
    }

    /** The error of an owner whose log lacks a state that was acknowledged. */
    static LostBatchesException lacks(PostgresOptions options, String key) {
        return new LostBatchesException("the log in " + options.place() + " lacks a state that was acknowledged: " + key
                + "; rows were deleted by hand, or a backup was restored. Find the server or the backup that has it"
                + " before you go on");
    }

    /** The error of an owner that finds an earlier state of its log. */
    static IOException wentBack(PostgresOptions options, String reason) {
        return new LostBatchesException("the database of " + options.place() + " went back in time: " + reason
                + "; a standby that lags was made the primary, or a backup was restored, and batches that were"
                + " acknowledged may be lost. Find the server that has them before you go on");
    }
}

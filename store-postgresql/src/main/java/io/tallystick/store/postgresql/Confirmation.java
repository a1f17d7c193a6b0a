package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Finds out whether commits of a connection had a standby to wait for.
 *
 * <p>An administrator or a cluster manager may empty {@code synchronous_standby_names} while a commit waits. The server
 * then lets the commit go, as if the standby had answered, and gives no warning. The server tells all sessions of new
 * settings before it lets commits go. A session reads them before its next question. So the question comes after the
 * commit: the settings must be those that were read before it, and must name a standby.
 */
final class Confirmation implements AutoCloseable {
    private final PreparedStatement queryOrNull;
    private final String readBefore;

    private Confirmation(PreparedStatement queryOrNull) throws SQLException {
        this.queryOrNull = queryOrNull;
        this.readBefore = queryOrNull == null ? "" : settings();
    }

    /** Notes which settings the session has now. Nothing is asked where no replication is required. */
    static Confirmation begin(Connection connection, boolean isRequired) throws SQLException {
        return new Confirmation(
                isRequired
                        ? connection.prepareStatement("SELECT CASE current_setting('synchronous_standby_names')"
                                + " WHEN '' THEN '' ELSE pg_conf_load_time()::text END")
                        : null);
    }

    /**
     * Checks the commits since {@link #begin}.
     *
     * @throws Transaction.UnconfirmedException one of them may not have waited for a standby
     */
    void check() throws SQLException {
        if (queryOrNull == null) {
            return;
        }
        String now;
        try {
            now = settings();
        } catch (SQLException unanswered) { // must not be taken for an error before the commit
            Transaction.UnconfirmedException unconfirmed =
                    new Transaction.UnconfirmedException("it does not answer: " + unanswered.getMessage());
            unconfirmed.addSuppressed(unanswered);
            throw unconfirmed;
        }
        if (now.isEmpty() || !now.equals(readBefore)) {
            throw new Transaction.UnconfirmedException(
                    now.isEmpty() ? "synchronous_standby_names is empty" : "its settings were changed meanwhile");
        }
    }

    /** Ends the question; the connection is its owner's. */
    @Override
    public void close() throws SQLException {
        if (queryOrNull != null) {
            queryOrNull.close();
        }
    }

    private String settings() throws SQLException {
        try (ResultSet answer = queryOrNull.executeQuery()) {
            answer.next();
            return answer.getString(1);
        }
    }
}

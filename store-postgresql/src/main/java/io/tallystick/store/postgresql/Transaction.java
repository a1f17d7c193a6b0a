package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** A transaction of some statements whose commit is on the standby too when it returns. */
final class Transaction {
    private Transaction() {}

    /** What a transaction does. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /**
     * Runs the work and commits it.
     *
     * @param isReplicationRequired whether the commit must have waited for the standby
     * @throws UnconfirmedException the commit stands on the primary, and perhaps nowhere else
     */
    static <T> T commit(Connection connection, boolean isReplicationRequired, Work<T> work) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            T result;
            try {
                result = work.on(connection);
            } catch (SQLException | RuntimeException | Error failed) {
                rollBack(statement, failed);
                throw failed;
            }
            statement.execute("COMMIT");
            checkConfirmed(statement);
            if (isReplicationRequired) {
                Confirmation.confirmSynchronous(connection);
            }
            return result;
        }
    }

    /**
     * Looks for the warning that the server gives instead of an error when it stops waiting for the standby.
     *
     * @throws UnconfirmedException there is one
     */
    static void checkConfirmed(Statement statement) throws SQLException {
        SQLWarning warning = statement.getWarnings();
        if (warning != null) {
            throw new UnconfirmedException(warning);
        }
    }

    private static void rollBack(Statement statement, Throwable why) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException broken) { // the server rolls back when the connection ends
            why.addSuppressed(broken);
        }
    }

    /** The server committed, and says that it did not wait for the standby. */
    static final class UnconfirmedException extends SQLException {
        private static final long serialVersionUID = 1L;

        UnconfirmedException(String reason) {
            super("the server committed, but not surely on its standby: " + reason);
        }

        UnconfirmedException(SQLWarning warning) {
            super(
                    "the server committed, but not surely on its standby: " + warning.getMessage(),
                    warning.getSQLState(),
                    warning);
        }
    }
}

package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** A transaction of some statements. Its commit is on the standby too when it returns, or waits for nothing. */
final class Transaction {
    private static final String BEGIN = "BEGIN";

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
            T result = run(connection, statement, BEGIN, work);
            checkConfirmed(statement);
            if (isReplicationRequired) {
                Confirmation.confirmSynchronous(connection);
            }
            return result;
        }
    }

    /**
     * Runs the work and commits it, and waits neither for the disk nor for the standby. So the locks of the work are
     * not held for the time of such a wait. A later {@link #commit} of any transaction that writes covers this one.
     */
    static <T> T commitWithoutWaiting(Connection connection, Work<T> work) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return run(connection, statement, BEGIN + "; SET LOCAL synchronous_commit = off", work);
        }
    }

    private static <T> T run(Connection connection, Statement statement, String begin, Work<T> work)
            throws SQLException {
        statement.execute(begin);
        T result;
        try {
            result = work.on(connection);
        } catch (SQLException | RuntimeException | Error failed) {
            rollBack(statement, failed);
            throw failed;
        }
        statement.execute("COMMIT");
        return result;
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

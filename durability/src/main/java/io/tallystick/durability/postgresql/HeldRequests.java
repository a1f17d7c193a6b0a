package io.tallystick.durability.postgresql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Holds the requests of a log's owner where their first commit is done and the second one is not. There they ask for
 * the position of the server. A function of the same name takes its place, and waits for a lock of the log first.
 */
final class HeldRequests implements AutoCloseable {
    private static final String KEY = "hashtext('tallystick ' || log_id)";
    private static final int POLL_MILLIS = 2;
    private static final int MAX_POLLS = 1_000;

    private final Connection connection;
    private final String waiting;

    private HeldRequests(Connection connection, String logId) {
        this.connection = connection;
        waiting = " FROM pg_stat_activity WHERE wait_event = 'advisory' AND application_name LIKE 'tallystick " + logId
                + " %'";
    }

    /** Lets requests be held in this server from now on. Once or more. */
    static void prepare(PostgresServer server) throws IOException {
        try {
            if (server.one("SELECT count(*) FROM pg_proc WHERE proname = 'insert_lsn_of_the_server'")
                    .equals("0")) {
                server.sql("ALTER FUNCTION pg_catalog.pg_current_wal_insert_lsn() RENAME TO insert_lsn_of_the_server");
                server.sql("CREATE FUNCTION pg_catalog.pg_current_wal_insert_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_advisory_xact_lock_shared(hashtext(''tallystick '' ||"
                        + " split_part(current_setting(''application_name''), '' '', 2)));"
                        + " RETURN insert_lsn_of_the_server(); END'");
            }
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    /** Returns when a request is held, or when none has come for two seconds. */
    static HeldRequests hold(PostgresServer server, String nodeId) throws IOException, InterruptedException {
        try {
            Connection connection = server.connect();
            try {
                String ofNode = " FROM tallystick.tallystick_log WHERE node_id = '" + nodeId + "'";
                HeldRequests held = new HeldRequests(connection, one(connection, "SELECT log_id" + ofNode));
                one(connection, "SELECT pg_advisory_lock(" + KEY + ")" + ofNode);
                for (int i = 0;
                        i < MAX_POLLS
                                && one(connection, "SELECT count(*)" + held.waiting)
                                        .equals("0");
                        i++) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                }
                return held;
            } catch (SQLException | InterruptedException | RuntimeException | Error failed) {
                connection.close();
                throw failed;
            }
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    /** Cancels those that are held. */
    void cancel() throws IOException {
        try {
            one(connection, "SELECT count(pg_cancel_backend(pid))" + waiting);
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    /** Lets all go. */
    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    private static String one(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(query)) {
            answer.next();
            return String.valueOf(answer.getString(1));
        }
    }
}

package io.tallystick.durability.postgresql;

import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Holds the requests of a log's owner at one of two places. Between their two commits they ask for the position of the
 * server. A function of the same name takes its place, and waits for a lock of the log first. Before their first commit
 * they insert a row, and a trigger of the table waits likewise.
 */
final class HeldRequests implements AutoCloseable {
    private static final int POLL_MILLIS = 2;
    private static final int MAX_POLLS = 1_000;

    private final Connection connection;
    private final String waiting;
    private volatile boolean isOver;
    // Uses the connection alone; null where nobody waits for a taker.
    private Thread watching;

    /** Where requests are held. */
    enum Place {
        BEFORE_FIRST_COMMIT("'tallystick insert ' || log_id"),
        BETWEEN_COMMITS("'tallystick ' || store_id");

        private final String lock;

        /** @param lock the text of the lock, of the row of the log */
        Place(String lock) {
            this.lock = lock;
        }
    }

    private HeldRequests(Connection connection, String storeId) {
        this.connection = connection;
        waiting = " FROM pg_stat_activity WHERE wait_event = 'advisory' AND application_name LIKE 'tallystick "
                + storeId + " %'";
    }

    /** Lets requests of later connections be held between their commits. Once or more. */
    static void prepare(PostgresServer server) throws IOException {
        try {
            if (isMissing(server, "pg_proc WHERE proname = 'insert_lsn_of_the_server'")) {
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

    /** Lets requests be held before their first commit, in a server that has the tables. Once or more. */
    static void prepareTables(PostgresServer server) throws IOException {
        try {
            if (isMissing(server, "pg_trigger WHERE tgname = 'hold_insert'")) {
                server.sql("CREATE FUNCTION public.hold_insert() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_advisory_xact_lock_shared("
                        + "hashtext(''tallystick insert '' || NEW.log_id)); RETURN NEW; END'");
                server.sql("CREATE TRIGGER hold_insert AFTER INSERT ON tallystick.tallystick_batch"
                        + " FOR EACH ROW EXECUTE FUNCTION public.hold_insert()");
            }
        } catch (SQLException trouble) {
            throw new IOException(trouble);
        }
    }

    private static boolean isMissing(PostgresServer server, String what) throws SQLException, IOException {
        return server.one("SELECT count(*) FROM " + what).equals("0");
    }

    /** Returns when a request is held, or when none has come for two seconds. */
    static HeldRequests hold(PostgresServer server, String nodeId, Place place)
            throws IOException, InterruptedException {
        try {
            Connection connection = server.connect();
            try {
                String ofNode = " FROM tallystick.tallystick_log WHERE node_id = '" + nodeId + "'";
                HeldRequests held = new HeldRequests(connection, one(connection, "SELECT store_id" + ofNode));
                one(connection, "SELECT pg_advisory_lock(hashtext(" + place.lock + "))" + ofNode);
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

    /** Lets all go when another owner that takes the log of this node waits for them, or at the end of this. */
    void letGoWhenAwaitedBy(String nodeId) {
        String takers = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND application_name = 'tallystick opening " + nodeId + "'";
        watching = new Thread(() -> letGoWhen(takers), "held-requests");
        watching.setDaemon(true);
        watching.start();
    }

    private void letGoWhen(String takers) {
        try (connection) {
            while (!isOver && one(connection, takers).equals("0")) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        } catch (SQLException | InterruptedException ended) {
            // the server lets them go with the connection
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
        isOver = true;
        try {
            if (watching != null) {
                UninterruptedWait.join(watching);
            }
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

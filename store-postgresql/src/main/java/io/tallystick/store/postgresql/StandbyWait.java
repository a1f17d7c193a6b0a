package io.tallystick.store.postgresql;

import io.tallystick.store.spi.FailureLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Sees commits of this owner that wait for a standby, and tells of them. Without it a missing standby looks like a
 * server that gives no answer.
 */
final class StandbyWait {
    private static final System.Logger LOG = System.getLogger(StandbyWait.class.getName());
    private static final long LEAST_SECONDS = 2;

    private static final String WAITING = "SELECT count(*), coalesce(extract(epoch FROM max(clock_timestamp()"
            + " - query_start)) * 1000, 0)::bigint, current_setting('synchronous_standby_names'),"
            + " coalesce((SELECT string_agg(application_name || ' (' || coalesce(state || ', ' || sync_state, 'hidden')"
            + " || ')', ', ') FROM pg_stat_replication), 'none'), (SELECT bool_and(coalesce(sync_state NOT IN"
            + " ('sync', 'quorum'), false)) IS NOT FALSE FROM pg_stat_replication)"
            + " FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?"
            + " AND wait_event = 'SyncRep'";

    private final String place;
    private final String owner;
    // By the thread that beats.
    private boolean isTold;
    // Empty if no commit waits.
    private volatile String seen = "";
    private volatile int waiting;
    private volatile Duration longest = Duration.ZERO;

    /**
     * @param place the log, in messages to users
     * @param owner the name of the owner's connections
     */
    StandbyWait(String place, String owner) {
        this.place = place;
        this.owner = owner;
    }

    /** Asks the server whether a commit waits for a standby, and tells when that begins and ends. */
    void look(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(WAITING)) {
            query.setString(1, owner);
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                waiting = answer.getInt(1);
                longest = Duration.ofMillis(answer.getLong(2));
                seen = longest.toSeconds() < LEAST_SECONDS
                        ? ""
                        : "a commit has waited " + longest.toSeconds() + " s for a synchronous standby;"
                                + (answer.getBoolean(5) ? " no synchronous standby is connected;" : "")
                                + " synchronous_standby_names='" + answer.getString(3) + "', connected: "
                                + answer.getString(4);
            }
        }
        if (!seen.isEmpty() && !isTold) {
            isTold = true;
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.WARNING,
                    "TALLY0333 " + place + ": " + seen
                            + ". Start the standby, or name another one in synchronous_standby_names",
                    null);
        } else if (seen.isEmpty() && isTold) {
            isTold = false;
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.INFO,
                    "TALLY0334 " + place + ": no commit waits for a standby any more",
                    null);
        }
    }

    /** How many commits of this owner waited at the last look. */
    int waiting() {
        return waiting;
    }

    /** How long the oldest of them had waited then. */
    Duration longest() {
        return longest;
    }

    /** What the last look saw, for the message of a write that fails; empty if no commit waited. */
    String seen() {
        return seen;
    }
}

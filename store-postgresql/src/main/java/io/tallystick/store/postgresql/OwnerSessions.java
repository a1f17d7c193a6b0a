package io.tallystick.store.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * The connections of a log's owner, as the server lists them. The list has those of all databases of the server, and
 * numbers of logs begin anew in each schema. So an owner's connections are named after the unique id of the store and
 * the epoch, and only those of this database are looked at.
 */
final class OwnerSessions {
    /** What the names of connections of owners begin with. */
    static final String FIRST = "tallystick ";

    /** The second name is that of an owner whose version named them after the number of the log. */
    private static final String NAMED =
            " FROM pg_stat_activity WHERE datname = current_database()" + " AND application_name IN (?, ?)";

    private final UUID storeId;
    private final long logId;

    OwnerSessions(UUID storeId, long logId) {
        this.storeId = storeId;
        this.logId = logId;
    }

    /**
     * The name of the connections of the owner with this epoch. The server cuts names after 63 characters: this leaves
     * 15 digits for the epoch.
     */
    static String name(UUID storeId, long epoch) {
        return FIRST + storeId + ' ' + epoch;
    }

    /**
     * What the server lists of the owner's connections, and when it last heard of each. It hides that time from a user
     * who may not see it; then the time of the look takes its place, so that the owner lives.
     */
    String signsOfLife(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT coalesce(string_agg(pid || ' ' ||"
                + " coalesce(query_start, clock_timestamp())::text, ',' ORDER BY pid), '') || ' ' ||"
                + " (SELECT epoch FROM tallystick_log WHERE log_id = ?)" + NAMED)) {
            query.setLong(1, logId);
            setNames(query, 2, epoch);
            try (ResultSet signs = query.executeQuery()) {
                signs.next();
                return String.valueOf(signs.getString(1));
            }
        }
    }

    /** How many connections the owner has, and how long ago it was heard of, for people; empty if it has none. */
    Optional<String> seen(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT count(*),"
                + " round(extract(epoch FROM clock_timestamp() - max(query_start))::numeric, 1)" + NAMED)) {
            setNames(query, 1, epoch);
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                if (answer.getLong(1) == 0) {
                    return Optional.empty();
                }
                String age = answer.getString(2);
                return Optional.of("connections=" + answer.getLong(1)
                        + (age == null ? " last-beat=hidden" : " last-beat=" + age + "s"));
            }
        }
    }

    /** Whether an owner of whatever epoch of this store is connected: the row may have gone back in time. */
    boolean areThere(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT EXISTS (SELECT 1 FROM pg_stat_activity"
                + " WHERE datname = current_database()"
                + " AND (starts_with(application_name, ?) OR starts_with(application_name, ?)))")) {
            query.setString(1, FIRST + storeId + ' ');
            query.setString(2, FIRST + logId + ' ');
            try (ResultSet answer = query.executeQuery()) {
                answer.next();
                return answer.getBoolean(1);
            }
        }
    }

    private void setNames(PreparedStatement query, int first, long epoch) throws SQLException {
        query.setString(first, name(storeId, epoch));
        query.setString(first + 1, FIRST + logId + ' ' + epoch);
    }
}

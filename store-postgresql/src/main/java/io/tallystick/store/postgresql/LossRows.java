package io.tallystick.store.postgresql;

import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NoticedLoss;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of {@value Schema#LOSSES}: losses that owners have noticed, and that persons have accepted. They name the
 * node, and not the log: a database that went back to a time before the log was made has no row of it.
 *
 * <p>The table is younger than the others. A database may lack it, or another role may have made it. Then the store
 * works without it.
 */
final class LossRows {
    private static final System.Logger LOG = System.getLogger(LossRows.class.getName());
    private static final String OPEN = " FROM tallystick_loss WHERE node_id = ? AND accepted IS NULL";

    private LossRows() {}

    /** The losses of a node that nobody has accepted, the oldest first; none without a table that the user may read. */
    static List<NoticedLoss> open(Connection connection, PostgresOptions options) throws SQLException {
        List<NoticedLoss> losses = new ArrayList<>();
        Schema.checkUsage(connection, options);
        if (!Schema.mayReadLossTable(connection, options.schema())) {
            return losses;
        }
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT missing, to_char(noticed AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), owner" + OPEN
                        + " ORDER BY noticed, owner")) {
            query.setString(1, options.nodeId());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    losses.add(new NoticedLoss(row.getString(1), row.getString(2), row.getString(3)));
                }
            }
        }
        return losses;
    }

    /**
     * Checks that no loss of the node waits for a person. A staged log has none.
     *
     * @throws StoreIoException one does
     */
    static void checkNone(Connection connection, PostgresOptions options) throws SQLException {
        List<NoticedLoss> losses = options.isStaged() ? List.of() : open(connection, options);
        if (!losses.isEmpty()) {
            NoticedLoss first = losses.get(0);
            throw StoreIoException.ofMarkedLoss(
                    "the log in " + options.place() + " lacks what was acknowledged, missing: " + first.missing()
                            + "; noticed=" + first.noticed() + " by " + first.owner()
                            + ". No process opens it until a person decides. Look for the server or the backup that has"
                            + " it, and bring it back if you can. Then, in either case, run 'tallystick accept-loss"
                            + " --url URL --schema " + options.schema() + " --node " + options.nodeId()
                            + " --reason TEXT', and compare with the resource managers before recovery runs",
                    null);
        }
    }

    /** Makes the table if it is missing, where that is allowed; warns of what the user may not do. By an opener. */
    static void prepare(Connection connection, PostgresOptions options) throws SQLException {
        List<String> lacks = new TableCheck(connection, options.schema()).losses();
        if (lacks.isEmpty()) {
            return;
        }
        String why;
        if (Schema.hasLossTable(connection, options.schema())) {
            why = Schema.lossGrant(options.schema(), connection.getMetaData().getUserName());
        } else if (!options.createTables()) {
            why = StoreOption.POSTGRESQL_CREATE_TABLES.key() + "=false";
        } else {
            try {
                makeTable(connection, options);
                return;
            } catch (SQLException refused) {
                why = refused.getMessage();
            }
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "TALLY0330 a loss of what was acknowledged cannot be marked or read in " + options.place() + ": "
                        + String.join(", ", lacks) + " (" + why + "). The next process would not hear of a loss;"
                        + " 'tallystick postgresql ddl --role USER' prints the statements that change this");
    }

    private static void makeTable(Connection connection, PostgresOptions options) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute("BEGIN; SELECT pg_advisory_xact_lock(" + Schema.ADVISORY_LOCK + ")");
                statement.execute(Schema.lossTable(options.schema()));
                statement.execute("COMMIT");
            } catch (SQLException refused) {
                statement.execute("ROLLBACK");
                throw refused;
            }
        }
    }

    /** Marks a loss; on the disk of the server when the call returns. It does not wait for a standby. */
    static void add(Connection connection, PostgresOptions options, String missing, LogOwner owner)
            throws SQLException {
        try (Statement local = connection.createStatement()) {
            local.execute("SET synchronous_commit = local"); // first: the commit of the table would wait as well
        }
        if (options.createTables() && !Schema.hasLossTable(connection, options.schema())) {
            makeTable(connection, options);
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tallystick_loss"
                + " (node_id, owner, noticed, missing) VALUES (?, ?, clock_timestamp(), ?)"
                + " ON CONFLICT DO NOTHING")) {
            insert.setString(1, options.nodeId());
            insert.setString(2, "epoch=" + owner.epoch() + " " + owner.text());
            insert.setString(3, missing);
            insert.executeUpdate();
        }
    }

    /** Accepts these losses of the node; the rows stay. Returns how many. */
    static int accept(
            Connection connection, PostgresOptions options, List<NoticedLoss> losses, String reason, String user)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE tallystick_loss SET accepted ="
                + " clock_timestamp(), accepted_by = ?, reason = ? WHERE node_id = ? AND accepted IS NULL"
                + " AND owner = ANY (?)")) {
            update.setString(1, user);
            update.setString(2, reason);
            update.setString(3, options.nodeId());
            update.setArray(
                    4,
                    connection.createArrayOf(
                            "text", losses.stream().map(NoticedLoss::owner).toArray()));
            return update.executeUpdate();
        }
    }
}

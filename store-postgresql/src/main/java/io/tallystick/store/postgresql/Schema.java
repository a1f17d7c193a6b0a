package io.tallystick.store.postgresql;

import io.tallystick.store.StoreOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The tables. docs/store-postgresql.md has the same statements for administrators, and what each column means. */
final class Schema {
    /** The version of the tables and of the batches in them. */
    static final int FORMAT = 1;

    /** The names of the tables, and their definitions. */
    static final Map<String, String> TABLES = tables();

    /** The table of losses. It is younger than the others, and a database may lack it. */
    static final String LOSSES = "tallystick_loss";

    /** The columns of {@value #LOSSES}. */
    static final String LOSS_COLUMNS =
            "node_id varchar(64) NOT NULL, owner text NOT NULL, noticed timestamptz NOT NULL,"
                    + " missing text NOT NULL, accepted timestamptz, accepted_by text, reason text,"
                    + " PRIMARY KEY (node_id, owner)";

    /** The table of pools. Only a process that takes its node from a pool needs it. */
    static final String POOLS = "tallystick_pool";

    /** The columns of {@value #POOLS}. */
    static final String POOL_COLUMNS =
            "node_id varchar(64) PRIMARY KEY, pool varchar(64) NOT NULL, application text NOT NULL,"
                    + " ownerless_epoch bigint, ownerless_since timestamptz, recovery_tried timestamptz,"
                    + " finished_epoch bigint";

    /** Two processes that make tables at once would collide; the number is arbitrary. */
    static final long ADVISORY_LOCK = 8_401_207_316L;

    /** SQLSTATE of a table, a schema or a privilege that is missing. */
    private static final Set<String> GONE = Set.of("42P01", "3F000", "42501");

    private Schema() {}

    /** The statement that makes {@value #LOSSES}. */
    static String lossTable(String schema) {
        return "CREATE TABLE IF NOT EXISTS \"" + schema + "\"." + LOSSES + " (" + LOSS_COLUMNS + ")";
    }

    /** The statement that makes {@value #POOLS}. */
    static String poolTable(String schema) {
        return "CREATE TABLE IF NOT EXISTS \"" + schema + "\"." + POOLS + " (" + POOL_COLUMNS + ")";
    }

    static boolean hasPoolTable(Connection connection, String schema) throws SQLException {
        return !persistence(connection, schema, POOLS).isEmpty();
    }

    static boolean hasLossTable(Connection connection, String schema) throws SQLException {
        return !persistence(connection, schema, LOSSES).isEmpty();
    }

    /** Whether the table is there and the user of the connection may read it. Others may have made it. */
    static boolean mayReadLossTable(Connection connection, String schema) throws SQLException {
        try (var query = connection.prepareStatement("SELECT 1 FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relname = ?"
                + " AND c.relkind IN ('r', 'p') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')")) {
            query.setString(1, schema);
            query.setString(2, LOSSES);
            try (ResultSet found = query.executeQuery()) {
                return found.next();
            }
        }
    }

    static boolean hasLogTable(Connection connection, String schema) throws SQLException {
        return !persistence(connection, schema, "tallystick_log").isEmpty();
    }

    /**
     * Checks that the user may use the schema. Without that right the server says that its tables are not there.
     *
     * @throws Connections.UnfitServerException the schema is there, and the user may not use it
     */
    static void checkUsage(Connection connection, PostgresOptions options) throws SQLException {
        try (var query = connection.prepareStatement("SELECT pg_catalog.has_schema_privilege(oid, 'USAGE'),"
                + " current_user FROM pg_catalog.pg_namespace WHERE nspname = ?")) {
            query.setString(1, options.schema());
            try (ResultSet found = query.executeQuery()) {
                if (found.next() && !found.getBoolean(1)) {
                    throw new Connections.UnfitServerException("the user " + found.getString(2)
                            + " may not use the schema " + options.schema() + " of " + options.place() + "; run GRANT"
                            + " USAGE ON SCHEMA \"" + options.schema() + "\" TO \""
                            + found.getString(2).replace("\"", "\"\"") + '"');
                }
            }
        }
    }

    /** Whether the tables of a log are there, whoever may use them. */
    static boolean hasAllTables(Connection connection, String schema) throws SQLException {
        for (String table : TABLES.keySet()) {
            if (persistence(connection, schema, table).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Whether trying again does not help: there is no such table, no such schema, or no privilege. */
    static boolean isGone(SQLException trouble) {
        return trouble.getSQLState() != null && GONE.contains(trouble.getSQLState());
    }

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put(
                "tallystick_log",
                "log_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node_id varchar(64) NOT NULL UNIQUE,"
                        + " store_id uuid NOT NULL, format smallint NOT NULL, epoch bigint NOT NULL,"
                        + " clean boolean NOT NULL, owner text NOT NULL,"
                        + " role text NOT NULL CHECK (role IN ('home', 'adopter')), lease_millis bigint NOT NULL");
        tables.put(
                "tallystick_fence",
                "log_id bigint NOT NULL, lane smallint NOT NULL, epoch bigint NOT NULL, PRIMARY KEY (log_id, lane)");
        tables.put(
                "tallystick_batch",
                "log_id bigint NOT NULL, seq bigint NOT NULL, lane smallint NOT NULL, epoch bigint NOT NULL,"
                        + " durable bigint NOT NULL, oldest bigint NOT NULL, body bytea NOT NULL,"
                        + " PRIMARY KEY (log_id, seq)");
        return Collections.unmodifiableMap(tables);
    }

    /** The statements that make the tables in a schema, in their order. */
    static List<String> ddl(String schema) {
        String quoted = '"' + schema + '"';
        List<String> statements = new java.util.ArrayList<>();
        statements.add("CREATE SCHEMA IF NOT EXISTS " + quoted);
        TABLES.forEach((name, columns) ->
                statements.add("CREATE TABLE IF NOT EXISTS " + quoted + "." + name + " (" + columns + ")"));
        statements.add(lossTable(schema));
        statements.add(poolTable(schema));
        statements.add("ALTER TABLE " + quoted + ".tallystick_batch ALTER body SET STORAGE EXTERNAL");
        return List.copyOf(statements);
    }

    /** The statement that lets a user mark losses, and read them. */
    static String lossGrant(String schema, String user) {
        return "GRANT SELECT, INSERT, UPDATE ON \"" + schema + "\"." + LOSSES + " TO \"" + user.replace("\"", "\"\"")
                + '"';
    }

    /** The statements that let a user open stores in these tables, in their order. */
    static List<String> grants(String schema, String user) {
        String quoted = '"' + user.replace("\"", "\"\"") + '"';
        String tables = String.join(
                ", ",
                Stream.concat(TABLES.keySet().stream(), Stream.of(LOSSES, POOLS))
                        .map(name -> '"' + schema + "\"." + name)
                        .toList());
        return List.of(
                "GRANT USAGE ON SCHEMA \"" + schema + "\" TO " + quoted,
                "GRANT SELECT, INSERT, UPDATE, DELETE ON " + tables + " TO " + quoted,
                "GRANT pg_monitor TO " + quoted);
    }

    /**
     * Checks that the tables are there, or makes them, and that they are as the store needs them: the first write would
     * find it out too late, and might take it for another owner's doing.
     *
     * @throws Connections.UnfitServerException they are not there, not durable, altered, or not this user's to use
     */
    static void check(Connection connection, PostgresOptions options) throws SQLException {
        for (String table : TABLES.keySet()) {
            if (persistence(connection, options.schema(), table).isEmpty()) {
                make(connection, options, table);
            }
            String persistence = persistence(connection, options.schema(), table);
            if (!persistence.equals("p")) {
                throw new Connections.UnfitServerException("the table " + options.schema() + "." + table + " in "
                        + options.place() + " is unlogged or temporary, so a crash empties it; make it LOGGED");
            }
        }
        List<String> lacks = new TableCheck(connection, options.schema()).opening();
        if (!lacks.isEmpty()) {
            throw new Connections.UnfitServerException("the tables in " + options.place() + " cannot be used: "
                    + String.join(", ", lacks) + "; 'tallystick postgresql ddl' prints the tables as they must be,"
                    + " and with --role USER the grants");
        }
    }

    private static void make(Connection connection, PostgresOptions options, String missing) throws SQLException {
        if (!options.createTables()) {
            throw new Connections.UnfitServerException("the table " + options.schema() + "." + missing
                    + " is missing in " + options.place() + "; make the tables with the statements in"
                    + " docs/store-postgresql.md, or set " + StoreOption.POSTGRESQL_CREATE_TABLES.key() + "=true");
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN; SELECT pg_advisory_xact_lock(" + ADVISORY_LOCK + ")");
            for (String ddl : ddl(options.schema())) {
                statement.execute(ddl);
            }
            statement.execute("COMMIT");
        }
    }

    private static String persistence(Connection connection, String schema, String table) throws SQLException {
        try (var query = connection.prepareStatement("SELECT c.relpersistence::text FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ? AND c.relkind IN ('r', 'p')")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet found = query.executeQuery()) {
                return found.next() ? found.getString(1) : "";
            }
        }
    }
}

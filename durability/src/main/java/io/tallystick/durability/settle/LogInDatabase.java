package io.tallystick.durability.settle;

import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A log in PostgreSQL, with its tables in a schema of its own. The node has the directory of what was forgotten in its
 * settings, as docs/in-doubt.md demands it.
 */
final class LogInDatabase implements HistoryLog {
    private static final String OF_KILLED =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'tallystick%'";

    private final StoreConfiguration configuration;
    private final String schema;
    private final Path keepIn;

    /**
     * @param directory of the history: the settings of the server are above it, and its path gives the schema a name
     * @param keepIn the directory of what was forgotten, which is there
     */
    LogInDatabase(ConfiguredSubject configured, Path directory, Path keepIn) {
        this.schema = "h" + Integer.toHexString(directory.toString().hashCode());
        this.keepIn = keepIn;
        this.configuration = configured.configuration(directory).toBuilder()
                .set(StoreOption.NODE_ID, SettleStage.NODE)
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .build();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of(
                StoreOption.POSTGRESQL_SCHEMA.key(), schema, StoreOption.INDOUBT_KEEP_IN.key(), keepIn.toString());
    }

    @Override
    public List<String> words() {
        return List.of("--url", url(), "--schema", schema, "--node", SettleStage.NODE);
    }

    private String url() {
        return configuration.get(StoreOption.POSTGRESQL_URL);
    }

    @Override
    public StoreConfiguration configuration() {
        return configuration;
    }

    @Override
    public boolean isInDatabase() {
        return true;
    }

    @Override
    public StoreInspection inspection() {
        return RemoteLogs.of(configuration.get(StoreOption.STORE))
                .inspect(configuration)
                .orElseThrow(() -> new AssertionError("the server has no log of " + SettleStage.NODE));
    }

    @Override
    public Changes remembered() throws IOException {
        Map<String, List<String>> before = rows();
        return () -> {
            Map<String, List<String>> after = rows();
            return before.entrySet().stream()
                    .filter(table -> !table.getValue().equals(after.get(table.getKey())))
                    .map(table -> "table " + table.getKey() + " was " + table.getValue() + " and is "
                            + after.get(table.getKey()))
                    .findFirst();
        };
    }

    /** All rows of all tables, as text. */
    private Map<String, List<String>> rows() throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        try (Connection connection = connection()) {
            for (String table : column(
                    connection, "SELECT tablename FROM pg_tables WHERE schemaname = '" + schema + "' ORDER BY 1")) {
                rows.put(table, column(connection, "SELECT t::text FROM " + schema + "." + table + " t ORDER BY 1"));
            }
        } catch (SQLException failed) {
            throw new IOException(failed);
        }
        return rows;
    }

    @Override
    public void awaitEndOfKilled() throws IOException, InterruptedException {
        ServerSessions.awaitEnd(primaryUrl(), OF_KILLED);
    }

    @Override
    public void delete() throws IOException {
        try (Connection connection = connection();
                Statement drop = connection.createStatement()) {
            drop.execute("DROP SCHEMA " + schema + " CASCADE");
        } catch (SQLException failed) {
            throw new IOException(failed);
        }
    }

    private Connection connection() throws SQLException {
        return DriverManager.getConnection(primaryUrl());
    }

    private String primaryUrl() {
        return url() + "&targetServerType=primary";
    }

    private static List<String> column(Connection connection, String query) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement plain = connection.createStatement();
                ResultSet rows = plain.executeQuery(query)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}

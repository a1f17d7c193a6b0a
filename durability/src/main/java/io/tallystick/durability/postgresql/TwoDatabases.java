package io.tallystick.durability.postgresql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Two databases of one PostgreSQL server as the resource managers of transactions, and a third one for a log. A
 * transaction inserts its name into both.
 */
public final class TwoDatabases implements AutoCloseable {
    /** The databases that transactions change. */
    public static final List<String> NAMES = List.of("accounts", "orders");

    private static final String LOG = "log";

    private final PostgresServer server;

    private TwoDatabases(PostgresServer server) {
        this.server = server;
    }

    /** Why they cannot be started on this machine; empty if they can. */
    public static Optional<String> unavailableBecause() {
        return PostgresServer.unavailableBecause();
    }

    /** Starts the server and makes the databases. */
    public static TwoDatabases start() throws IOException {
        PostgresServer server = PostgresServer.reserve(PostgresCluster.freePort());
        TwoDatabases databases = new TwoDatabases(server);
        try {
            server.initialize(PostgresCluster.settingsOfOne() + "max_prepared_transactions = 100\n");
            server.start();
            server.sql("CREATE DATABASE " + LOG);
            for (String name : NAMES) {
                server.sql("CREATE DATABASE " + name);
                databases.sql(name, "CREATE TABLE entry (name text PRIMARY KEY)");
            }
            return databases;
        } catch (SQLException failed) {
            databases.close();
            throw new IOException(failed);
        } catch (IOException | RuntimeException | Error failed) {
            databases.close();
            throw failed;
        }
    }

    /** The port of the server. */
    public int port() {
        return server.port();
    }

    /** The address of a database of the server behind this port, which may be that of a proxy. */
    public static String url(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres";
    }

    /** The address of the log behind this port. */
    static String logUrl(int port) {
        return url(port, LOG);
    }

    /** The branches that are prepared, by database and name. */
    Set<String> inDoubt() throws SQLException {
        return column(NAMES.get(0), "SELECT database || ' ' || gid FROM pg_prepared_xacts");
    }

    /**
     * Checks all transactions, and deletes them.
     *
     * @param reported the transactions that were reported as committed
     * @return the number of transactions that are committed
     * @throws AssertionError a branch is in doubt, the databases do not agree, or a reported transaction is missing
     */
    int check(Set<String> reported) throws SQLException {
        Set<String> inDoubt = inDoubt();
        if (!inDoubt.isEmpty()) {
            throw new AssertionError("I14 atomic 2PC violated: in doubt after recovery: " + inDoubt);
        }
        Set<String> first = column(NAMES.get(0), "SELECT name FROM entry");
        Set<String> second = column(NAMES.get(1), "SELECT name FROM entry");
        if (!first.equals(second)) {
            Set<String> onlyFirst = new TreeSet<>(first);
            onlyFirst.removeAll(second);
            Set<String> onlySecond = new TreeSet<>(second);
            onlySecond.removeAll(first);
            throw new AssertionError("I14 atomic 2PC violated: divided outcomes: only in " + NAMES.get(0) + ": "
                    + onlyFirst + ", only in " + NAMES.get(1) + ": " + onlySecond);
        }
        Set<String> missing = new TreeSet<>(reported);
        missing.removeAll(first);
        if (!missing.isEmpty()) {
            throw new AssertionError(
                    "I14 atomic 2PC violated: transactions were reported as committed, and are not: " + missing);
        }
        for (String name : NAMES) {
            sql(name, "TRUNCATE entry");
        }
        return first.size();
    }

    /** Executes a statement in one of them. */
    public void sql(String database, String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(port(), database));
                Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
    }

    private Set<String> column(String database, String query) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection(url(port(), database));
                Statement plain = connection.createStatement();
                ResultSet rows = plain.executeQuery(query)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

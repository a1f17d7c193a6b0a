package io.tallystick.spring.boot.it;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import org.h2.jdbcx.JdbcDataSource;

/** A database of the bank, in files. */
final class BankDatabase {
    private BankDatabase() {}

    /** The data source, with its table. */
    static JdbcDataSource at(Path directory, String name) throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        // H2 would answer the same question with the result of before a recovery commit.
        source.setURL("jdbc:h2:file:" + directory.resolve(name).toAbsolutePath()
                + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1;OPTIMIZE_REUSE_RESULTS=0");
        source.setUser("sa");
        source.setPassword("");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists entry(id bigint primary key)");
        }
        return source;
    }

    /** Has what is committed on disk when it returns. */
    static void force(JdbcDataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("checkpoint sync");
        }
    }

    /** The rows of a database that no process has open. Closes it again. */
    static Set<Long> rows(Path directory, String name) throws SQLException {
        try (Connection connection = at(directory, name).getConnection();
                Statement statement = connection.createStatement()) {
            Set<Long> rows = rows(statement);
            statement.execute("shutdown");
            return rows;
        }
    }

    /** Ends a database of this process without a word to its sessions. It lists prepared branches when it is back. */
    static void crash(JdbcDataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("shutdown immediately");
        }
    }

    static Set<Long> rows(Statement statement) throws SQLException {
        Set<Long> rows = new TreeSet<>();
        try (ResultSet found = statement.executeQuery("select id from entry")) {
            while (found.next()) {
                rows.add(found.getLong(1));
            }
        }
        return rows;
    }

    /** How many branches are prepared and not ended. */
    static int inDoubt(Statement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery("select count(*) from information_schema.in_doubt")) {
            found.next();
            return found.getInt(1);
        }
    }
}
